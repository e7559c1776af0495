/// The settings of a run, from the command line.
struct Settings {
    /// Nil: many programs.
    var seed: UInt64?
    /// The seed of the first program.
    var first: UInt64 = 1
    var programs: UInt64 = 100_000
    var seconds: Double?
    /// The kinds of findings that are reported.
    var kinds = Set(Finding.Kind.allCases)
    /// Whether to report what the exemptions leave out.
    var isStrict = false
    /// Whether to go on after a finding, and to print the smallest program of each kind at the end.
    var isSurvey = false

    static let usage = """
        graphs [--programs N | --seconds N] [--first SEED] [--only KIND,…] [--strict] [--survey]
        graphs --seed SEED [--only KIND,…] [--strict]
          --programs N     the number of programs, 100 000 by default
          --seconds N      as many as fit into this time
          --first SEED     the seed of the first program, 1 by default; the others have the following ones
          --seed SEED      one program, which is printed
          --only KIND,…    reports no findings of other kinds
          --strict         also reports what the exemptions leave out
          --survey         goes on after a finding, and prints the smallest program of each kind at the end
        kinds: \(Finding.Kind.allCases.map(\.rawValue).joined(separator: ", "))
        """

    /// - Returns: Nil if the arguments are not valid.
    init?(_ arguments: [String]) {
        var rest = arguments.makeIterator()
        while let option = rest.next() {
            switch option {
            case "--survey":
                isSurvey = true
                continue
            case "--strict":
                isStrict = true
                continue
            default: break
            }
            guard let text = rest.next() else { return nil }
            if option == "--only" {
                let words = text.split(separator: ",")
                kinds = Set(words.compactMap { Finding.Kind(rawValue: String($0)) })
                if kinds.count < words.count { return nil }
                continue
            }
            guard let value = UInt64(text) else { return nil }
            switch option {
            case "--seed": seed = value
            case "--first": first = value
            case "--programs": programs = value
            case "--seconds":
                seconds = Double(value)
                programs = .max
            default: return nil
            }
        }
    }
}
