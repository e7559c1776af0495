import Foundation
import Hopoate

/// The file that `swift package check-wiring --write` has written.
struct SourceWiringFile: Decodable {
    fileprivate struct Entry: Decodable {
        let place: String?
        let type: TypeEntry?
        let name: String?
        let hasAnyName: Bool
        let isOpen: Bool
        let needs: [NeedEntry]
    }

    fileprivate struct TypeEntry: Decodable {
        let text: String
        let mangled: String?
    }

    fileprivate struct NeedEntry: Decodable {
        let type: TypeEntry
        let name: String?
        let hasAnyName: Bool
        let arguments: [String]?
        let kind: String
        let isLater: Bool
        let isParameter: Bool
    }

    private let version: Int
    private let modules: [String]
    private let registrations: [Entry]

    /// The error of a file that cannot be read.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - path: The path, absolute or relative to the folder of the source file, or to one above it in the package.
    ///   - source: The source file of the test.
    static func read(_ path: String, besides source: String) throws -> SourceWiring {
        let remedy = "Write it with `swift package check-wiring --write \(path)`"
        guard let file = find(path, besides: source) else {
            throw Failure(
                description:
                    "Cannot read '\(path)': it is in no folder from that of '\(source)' up to the package. \(remedy).")
        }
        do {
            let contents = try JSONDecoder().decode(Self.self, from: try Data(contentsOf: file))
            guard contents.version == 1 else {
                throw Failure(description: "it has the version \(contents.version), and this library reads version 1")
            }
            return try contents.wiring(file: path)
        } catch {
            throw Failure(description: "Cannot read '\(file.path)': \(text(of: error)). \(remedy).")
        }
    }

    private static func find(_ path: String, besides source: String) -> URL? {
        let files = FileManager.default
        var folder = URL(fileURLWithPath: source)
        repeat {
            folder = folder.deletingLastPathComponent()
            let file = URL(fileURLWithPath: path, relativeTo: folder).absoluteURL
            if files.fileExists(atPath: file.path) { return file }
        } while folder.path.count > 1 && !files.fileExists(atPath: folder.appendingPathComponent("Package.swift").path)
        return nil
    }

    private static func text(of error: any Error) -> String {
        switch error {
        case let failure as Failure: failure.description
        case DecodingError.keyNotFound(let key, _): "it has no '\(key.stringValue)', so check-wiring has not written it"
        case is DecodingError: "it is not the JSON that check-wiring writes"
        default: "\(error)"
        }
    }

    private func wiring(file: String) throws -> SourceWiring {
        let entries = try registrations.map { entry in
            SourceWiring.Entry(
                at: entry.place, entry.type.map(\.name), name: entry.name.map { DependencyName($0) },
                hasAnyName: entry.hasAnyName, isOpen: entry.isOpen, try entry.needs.map { try $0.need() })
        }
        return SourceWiring(file: file, modules: modules, entries)
    }
}

extension SourceWiringFile.TypeEntry {
    fileprivate var name: SourceWiring.TypeName { SourceWiring.TypeName(text: text, mangled: mangled) }
}

extension SourceWiringFile.NeedEntry {
    fileprivate func need() throws -> SourceWiring.Need {
        guard let kind = SourceWiring.Need.Kind(rawValue: kind) else {
            throw SourceWiringFile.Failure(description: "it has a need of the unknown kind '\(kind)'")
        }
        return SourceWiring.Need(
            type.name, name: name.map { DependencyName($0) }, hasAnyName: hasAnyName,
            arguments: arguments.map { "(\($0.joined(separator: ", ")))" }, kind, isLater: isLater,
            isParameter: isParameter)
    }
}
