import Foundation

/// A server process that this process started.
final class ServerProcess {
    let kind: WiringKind
    let port: Int
    private let process = Process()
    private let input = Pipe()
    private let output: LineReader

    init(_ kind: WiringKind) throws {
        self.kind = kind
        let pipe = Pipe()
        output = LineReader(pipe.fileHandleForReading)
        process.executableURL = Bundle.main.executableURL
        process.arguments = ["--server", kind.rawValue]
        process.standardInput = input
        process.standardOutput = pipe
        try process.run()
        guard let line = output.next(), let port = Int(line.dropFirst("port ".count)) else {
            throw LoadError("the server with \(kind.rawValue) did not start")
        }
        self.port = port
    }

    /// Its usage so far.
    func usage() throws -> Usage {
        input.fileHandleForWriting.write(Data("usage\n".utf8))
        guard let usage = output.next().flatMap({ Usage($0) }) else {
            throw LoadError("the server with \(kind.rawValue) has ended")
        }
        return usage
    }

    /// Stops the server and waits for its end.
    func stop() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }
}

/// Reads lines from a pipe.
private final class LineReader {
    private let handle: FileHandle
    private var buffer = Data()

    init(_ handle: FileHandle) {
        self.handle = handle
    }

    func next() -> String? {
        while true {
            if let end = buffer.firstIndex(of: 0x0A) {
                let line = String(decoding: buffer[..<end], as: UTF8.self)
                buffer = Data(buffer[(end + 1)...])
                return line
            }
            let more = handle.availableData
            if more.isEmpty { return nil }
            buffer += more
        }
    }
}

/// The reason for a missing result.
struct LoadError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
