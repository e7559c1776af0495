import CExecutor

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The modes of the tool.
enum Command {
    /// Runs the programs of the settings.
    ///
    /// - Returns: The exit status.
    static func run(_ arguments: [String]) -> CInt {
        guard let settings = Settings(arguments) else {
            print(Settings.usage)
            return 2
        }
        Exemption.isStrict = settings.isStrict
        Executor.install()
        facade_signals_report(lastLine)
        if let seed = settings.seed {
            remember(seed)
            print(Program.random(seed))
            fflush(nil)
            let findings = check(seed, settings)
            for finding in findings.prefix(20) { print(finding) }
            if let first = findings.first { report(first, seed) }
            print(findings.isEmpty ? "no finding" : "\(findings.count) findings")
            return findings.isEmpty ? 0 : 1
        }
        return settings.isSurvey ? survey(settings) : search(settings)
    }

    /// Runs programs until one has a finding.
    private static func search(_ settings: Settings) -> CInt {
        var tally = Tally()
        let begun = ContinuousClock.now
        for seed in seeds(settings, begun) {
            let check = checked(seed)
            tally.add(check.tally)
            if let finding = check.findings.first(where: { settings.kinds.contains($0.kind) }) {
                print("FINDING after \(tally.programs) graphs: \(finding)")
                report(finding, seed)
                return 1
            }
        }
        print(summary(tally, begun))
        if tally.provesSomething { return 0 }
        print("Less than 2 % of the roots have one of these results: this run proves nothing.")
        return 2
    }

    /// Runs all programs, and prints the smallest programs with findings: one for each kind of finding, surroundings and set of lifetimes.
    private static func survey(_ settings: Settings) -> CInt {
        var tally = Tally()
        var counts: [Finding.Kind: Int] = [:]
        var smallest: [String: (count: Int, program: Program, seed: UInt64, finding: Finding)] = [:]
        let begun = ContinuousClock.now
        for seed in seeds(settings, begun) {
            let check = checked(seed)
            tally.add(check.tally)
            for kind in Set(check.findings.map(\.kind)).intersection(settings.kinds) {
                counts[kind, default: 0] += 1
                let program = check.program.shrunk(kind)
                guard let finding = Check(program).findings.first(where: { $0.kind == kind }) else { continue }
                let lives = Set(program.registrations.map { "\($0.life)" }).sorted().joined(separator: " ")
                let group = "\(kind.rawValue) \(program.surroundings) \(lives)"
                let entry = smallest[group]
                if let entry, entry.program.size <= program.size {
                    smallest[group]?.count += 1
                } else {
                    smallest[group] = ((entry?.count ?? 0) + 1, program, seed, finding)
                }
            }
        }
        let sorted = smallest.sorted {
            ($0.value.finding.kind.rawValue, $0.value.program.size, $0.key)
                < ($1.value.finding.kind.rawValue, $1.value.program.size, $1.key)
        }
        for (group, entry) in sorted {
            print("\n\(group): \(entry.count) graphs; the smallest, from seed \(entry.seed):\n\(entry.program)")
            print("=> \(entry.finding)")
        }
        print()
        for (kind, count) in counts.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            print("\(kind.rawValue): \(count) graphs")
        }
        print(summary(tally, begun))
        return counts.isEmpty ? 0 : 1
    }

    private static func seeds(
        _ settings: Settings, _ begun: ContinuousClock.Instant
    ) -> some Sequence<UInt64> {
        sequence(state: settings.first) { next -> UInt64? in
            defer { next += 1 }
            if next - settings.first >= settings.programs { return nil }
            if let seconds = settings.seconds, next % 64 == 0, begun.duration(to: .now) > .seconds(seconds) {
                return nil
            }
            return next
        }
    }

    private static func checked(_ seed: UInt64) -> Check {
        remember(seed)
        // A program that does not end is a finding.
        alarm(60)
        defer { alarm(0) }
        return Check(Program.random(seed))
    }

    private static func check(_ seed: UInt64, _ settings: Settings) -> [Finding] {
        checked(seed).findings.filter { settings.kinds.contains($0.kind) }
    }

    private static func report(_ finding: Finding, _ seed: UInt64) {
        let program = Program.random(seed).shrunk(finding.kind)
        print("\nThe smallest graph with such a finding:\n\n\(program)\n")
        for other in Check(program).findings.filter({ $0.kind == finding.kind }).prefix(4) { print("=> \(other)") }
        print("\nReplay: Verification/Graphs/graphs --seed \(seed)")
    }

    private static func summary(_ tally: Tally, _ begun: ContinuousClock.Instant) -> String {
        let seconds = begun.duration(to: .now) / .seconds(1)
        return """
            \(tally.programs) graphs in \(tally.runs) runs, \(Int(Double(tally.programs) / max(seconds, 0.001))) graphs each second. \
            Roots without a finding of validation: \(tally.share(tally.fine)) %, missing: \(tally.share(tally.missing)) %, circular: \
            \(tally.share(tally.circular)) %, captive: \(tally.share(tally.captive)) %
            """
    }

    /// The line that the process prints if a signal kills it. Never freed.
    // Unsafe, because it is not protected. Sound, because all code runs on one thread.
    private nonisolated(unsafe) static let lastLine = UnsafeMutablePointer<CChar>.allocate(capacity: 200)

    private static func remember(_ seed: UInt64) {
        _ = "\nFINDING: the process dies. Replay: Verification/Graphs/graphs --seed \(seed)\n".withCString {
            strncpy(lastLine, $0, 199)
        }
    }
}
