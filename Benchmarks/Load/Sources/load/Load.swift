import Foundation

/// Compares the shop with three kinds of wiring: the container, by hand, and a dictionary under a lock.
@main
struct Load {
    static func main() async {
        do {
            let arguments = CommandLine.arguments.dropFirst()
            if arguments.first == "--server", let kind = arguments.last.flatMap({ WiringKind(rawValue: $0) }) {
                return try await ServerMode.run(kind)
            }
            var contest = Contest(try Workload(environment: ProcessInfo.processInfo.environment))
            try await contest.run()
            let report = Report(contest: contest)
            FileHandle.standardOutput.write(Data(report.text.utf8))
            if report.failures > 0 { exit(1) }
        } catch {
            FileHandle.standardError.write(Data("load: \(error)\n".utf8))
            exit(1)
        }
    }
}
