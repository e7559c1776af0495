// Exit status: 0 all histories are correct, 1 one is not, 2 nothing was proved.

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

guard var settings = Settings(Array(CommandLine.arguments.dropFirst())) else {
    print(Settings.usage)
    exit(2)
}
settings.warp = measureClockWarp(threads: 4)
print("seed \(settings.seed); the clocks of the cores are \(settings.warp) ticks apart")

/// Does the rounds of one kind. Exits if one of them has a violation, or if they prove nothing.
func run(_ subject: Subject, explanation: String) {
    var total = Tally()
    print("\(subject):")
    for crew in settings.crews(subject) {
        let begun = settings.elapsed
        let result = Crew(settings, subject, threads: crew.threads, rounds: crew.rounds).work()
        let tally = result.tally
        total.add(tally)
        let seconds = settings.elapsed - begun
        print(
            """
            \(crew.threads) threads: \(tally.rounds) rounds, \(tally.operations) operations, \
            \(Int(Double(tally.operations) / seconds)) each second; \
            overlapping on one key: \(percent(tally.overlapping, of: tally.operations)) of the operations, \
            in \(percent(tally.overlappingRounds, of: tally.rounds)) of the rounds
            """)
        if let violation = result.violation {
            print(violation.report(seed: settings.seed))
            let milliseconds = Int(settings.elapsed * 1000)
            print("It took \(total.operations) operations in \(total.rounds) rounds, \(milliseconds) ms.")
            exit(1)
        }
    }
    print(total.kinds)
    if total.overlappingRounds * 20 < total.rounds {
        print("Operations overlapped in less than 5 % of the rounds: this run proves nothing.")
        exit(2)
    }
    print("\(total.operations) operations, \(explanation); \(Int(settings.elapsed)) s")
}

for subject in settings.subjects {
    switch subject {
    case .registrations: run(subject, explanation: "each explained by an order of plain stacks")
    case .instances: run(subject, explanation: "each instance created once, found as it may be, disposed of once")
    }
}
