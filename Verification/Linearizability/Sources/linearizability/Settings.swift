/// The settings of a run, from the command line.
struct Settings {
    var seed = UInt64.random(in: 1...999_999_999)
    var rounds = 45_000
    /// Nil: crews of two, three and four.
    var threads: Int?
    /// Nil: each round once.
    var round: Int?
    var seconds: Double?
    /// The kinds of rounds, in this order.
    var subjects = [Subject.registrations, .instances]
    /// The number of ticks by which the clocks of the cores disagree.
    var warp: UInt64 = 0

    private let begun = ContinuousClock.now

    var elapsed: Double { (ContinuousClock.now - begun) / .seconds(1) }
    var isPastDeadline: Bool { seconds.map { elapsed > $0 } ?? false }

    /// The number of rounds for the crews of two, three and four threads. Two threads do most of them: they overlap all the
    /// time on two processors. Of more threads, some always wait.
    func crews(_ subject: Subject) -> [(threads: Int, rounds: Int)] {
        // A round of instances takes about three times as long.
        let rounds = subject == .instances ? max(1, rounds / 3) : rounds
        if let threads { return [(threads, rounds)] }
        return [(2, rounds - rounds / 5), (3, rounds / 10), (4, rounds / 10)]
    }

    static let usage = """
        linearizability [--registrations | --instances] [--seed N] [--rounds N | --long] [--threads N] [--round N]
                        [--seconds N]
          --registrations, --instances    the rounds of one sort only; else both
          --seed N      what the operations follow from; printed
          --rounds N    how many rounds
          --long        as many as it takes for 10^8 operations
          --threads N   1 to 8 threads in each round; else crews of two, three and four
          --round N     the plan of one round, again and again
          --seconds N   ends after so long
        """

    /// - Returns: Nil if the arguments are not valid.
    init?(_ arguments: [String]) {
        var rest = arguments.makeIterator()
        while let option = rest.next() {
            if option == "--long" {
                rounds = 4_200_000
                continue
            }
            if option == "--registrations" || option == "--instances" {
                subjects = [option == "--instances" ? .instances : .registrations]
                continue
            }
            guard let value = rest.next().flatMap({ UInt64($0) }), value < UInt64(Int.max) else { return nil }
            switch option {
            case "--seed": seed = value
            case "--rounds": rounds = Int(value)
            case "--threads":
                guard 1...8 ~= value else { return nil }
                threads = Int(value)
            case "--round": round = Int(value)
            case "--seconds": seconds = Double(value)
            default: return nil
            }
        }
    }
}
