import Foundation

/// A program to run.
struct Command {
    struct Result {
        let status: Int32
        let output: String
        let errors: String
    }

    let executable: URL
    /// Arguments that always come first.
    var prefix: [String] = []

    /// The program of this package, which is built into the same folder as the bundle of the tests.
    static var checkout: Command {
        let bundle = CommandLine.arguments.first { $0.contains(".xctest") } ?? CommandLine.arguments[0]
        var folder = URL(filePath: bundle).standardizedFileURL
        while folder.path.contains(".xctest") { folder.deleteLastPathComponent() }
        return Command(executable: folder.appending(path: "checkout"))
    }

    /// Python, where there is one.
    static let python: Command? = {
        let command = Command(executable: URL(filePath: "/usr/bin/env"), prefix: ["python3"])
        return (try? command.run(["--version"]))?.status == 0 ? command : nil
    }()

    /// Runs it to its end.
    ///
    /// - Parameters:
    ///   - arguments: The arguments.
    ///   - input: A file for its standard input.
    /// - Returns: How it ended, and what it wrote.
    /// - Throws: Where it could not be started.
    func run(_ arguments: [String], input: URL = URL(filePath: "/dev/null")) throws -> Result {
        let process = Process()
        // In files, not in pipes: a pipe that nobody empties would stop it.
        let folder = try FileManager.default.url(
            for: .itemReplacementDirectory, in: .userDomainMask, appropriateFor: FileManager.default.temporaryDirectory,
            create: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = ["output", "errors"].map { folder.appending(path: $0) }
        for file in files { try Data().write(to: file) }
        process.executableURL = executable
        process.arguments = prefix + arguments
        process.standardInput = try FileHandle(forReadingFrom: input)
        process.standardOutput = try FileHandle(forWritingTo: files[0])
        process.standardError = try FileHandle(forWritingTo: files[1])
        try process.run()
        process.waitUntilExit()
        let texts = try files.map { String(decoding: try Data(contentsOf: $0), as: UTF8.self) }
        return Result(status: process.terminationStatus, output: texts[0], errors: texts[1])
    }
}
