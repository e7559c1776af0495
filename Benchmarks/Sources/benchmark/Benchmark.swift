import Dispatch
import Hopoate

@main
enum Benchmark {
    static func main() {
        let options: Options
        do throws(Options.Mistake) {
            options = try Options(Array(CommandLine.arguments.dropFirst()))
        } catch {
            System.printError("benchmark: \(error.message)")
            System.end(2)
        }
        switch options.mode {
        case .help: say(Options.help)
        case .measure: System.end(measure(options))
        case .gates: System.end(Gates.check(options) ? 0 : 1)
        case .repeating(let operation, let count):
            Fillers.shift(by: options.shift)
            if options.suspendsBefore { createSuspending() }
            repeatOnly(operation, count)
        }
    }

    /// 1, 2 and the further powers of two up to the number of cores, at most 64.
    static var threads: [Int] { [1, 2, 4, 8, 16, 32, 64].filter { $0 <= System.cores } }

    private static func measure(_ options: Options) -> Int32 {
        say(System.description)
        var report = Report()
        for group in Group.all(threads: threads) {
            let rows = group.rows(matching: options.filter)
            guard !rows.isEmpty else { continue }
            let section = group.measure(group.subjects(), rows, options.effort)
            for line in Table.lines(section) { say(line) }
            report.sections.append(section)
        }
        guard !report.results.isEmpty else {
            System.printError("benchmark: no row matches '\(options.filter ?? "")'")
            return 2
        }
        say("\n\(report.summary)")
        if let file = options.jsonFile, !System.save(JSON.text(report), to: file) { return failed(file) }
        return options.isStrict && report.results.contains { $0.verdict == .fail } ? 1 : 0
    }

    private static func failed(_ file: String) -> Int32 {
        System.printError("benchmark: cannot write '\(file)'")
        return 2
    }

    /// Creates a service with a factory that suspends, as many servers do when they start.
    private static func createSuspending() {
        let isOver = DispatchSemaphore(value: 0)
        Task.detached {
            let container = DependencyContainer()
            container.register(Thermometer.self) { _ in
                await Task.yield()
                return Thermometer(1)
            }
            consume((try? await container.asyncResolve(Thermometer.self))?.reading() ?? 0)
            isOver.signal()
        }
        isOver.wait()
    }

    private static func repeatOnly(_ operation: Operation, _ count: Int) {
        for group in Group.all(threads: threads) where group.rows.contains(where: { $0.operation == operation }) {
            guard let subject = group.subjects().first(where: { $0.operation == operation }) else { continue }
            _ = subject.nanoseconds(count)
            return
        }
        System.printError("benchmark: '\(operation.rawValue)' needs more cores than this machine has")
        System.end(2)
    }
}
