import Foundation

/// A program to run.
struct Command {
    struct Result {
        let status: Int32
        let output: String
        let errors: String
    }

    let executable: URL
    /// Arguments that precede all others.
    var prefix: [String] = []

    /// The program of this package, which is built into the folder of the test bundle.
    static var checkout: Command {
        let bundle = CommandLine.arguments.first { $0.contains(".xctest") } ?? CommandLine.arguments[0]
        var folder = URL(filePath: bundle).standardizedFileURL
        while folder.path.contains(".xctest") { folder.deleteLastPathComponent() }
        return Command(executable: folder.appending(path: "checkout"))
    }

    /// Python, if it is installed.
    static let python: Command? = {
        let command = Command(executable: URL(filePath: "/usr/bin/env"), prefix: ["python3"])
        return (try? command.run(["--version"]))?.status == 0 ? command : nil
    }()

    /// Runs the program to its end.
    ///
    /// - Parameters:
    ///   - arguments: The arguments.
    ///   - input: The file for its standard input.
    /// - Returns: Its exit status and output.
    /// - Throws: An error if it could not be started.
    func run(_ arguments: [String], input: URL = URL(filePath: "/dev/null")) throws -> Result {
        let process = Process()
        // In files, because a full pipe that is not read would block the program.
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
