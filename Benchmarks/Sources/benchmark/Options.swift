/// The options of the command line.
struct Options: Sendable {
    enum Mode: Sendable {
        case measure
        case gates
        /// Repeats one operation and exits, for valgrind and perf.
        case repeating(Operation, Int)
        case help
    }

    var mode = Mode.measure
    var effort = Effort.full
    var isStrict = false
    var filter: String?
    var jsonFile: String?
    var suspendsBefore = false
    var shift = 0

    struct Mistake: Error {
        let message: String
    }

    static let help = """
        usage: benchmark [options]

        Measures the container against the least that its operations can cost, and prints a table.

          --gates         check what continuous integration checks: counts, and ratios with room for noise;
                          the exit status says whether all of it holds
          --strict        exit with 1 if a row misses its bar; not if the machine is too noisy to judge it
          --quick         fewer and shorter rounds, for a first impression
          --rows TEXT     only the rows whose title or operation contains TEXT
          --json FILE     write the figures to FILE, from which `draw` makes pictures
          --repeat OPERATION COUNT
                          do one operation COUNT times and nothing else, for profilers; the operations are:
        \(wrapped(Operation.allCases.map(\.rawValue)))
          --after-suspending
                          with --repeat: create a service whose factory suspends before
          --shift COUNT   with --repeat: create COUNT types and objects before, so that all later ones have
                          other addresses, and so other places in hash tables
          --help          print this
        """

    private static func wrapped(_ words: [String]) -> String {
        var lines: [String] = []
        for word in words {
            if let last = lines.last, last.count + word.count < 78 {
                lines[lines.count - 1] = last + " " + word
            } else {
                lines.append("                  " + word)
            }
        }
        return lines.joined(separator: "\n")
    }

    init(_ arguments: [String]) throws(Mistake) {
        var rest = arguments[...]
        func value(of option: String, _ what: String) throws(Mistake) -> String {
            guard let value = rest.popFirst() else { throw Mistake(message: "\(option) needs \(what)") }
            return value
        }
        while let option = rest.popFirst() {
            switch option {
            case "--gates": mode = .gates
            case "--strict": isStrict = true
            case "--quick": effort = .quick
            case "--rows": filter = try value(of: option, "a text")
            case "--json": jsonFile = try value(of: option, "a file")
            case "--repeat":
                let name = try value(of: option, "an operation and a count")
                guard let operation = Operation(rawValue: name) else {
                    throw Mistake(message: "there is no operation '\(name)'; --help lists them")
                }
                let count = try value(of: option, "an operation and a count")
                guard let count = Int(count), count > 0 else {
                    throw Mistake(message: "--repeat needs a positive count, not '\(count)'")
                }
                mode = .repeating(operation, count)
            case "--after-suspending": suspendsBefore = true
            case "--shift":
                let count = try value(of: option, "a count")
                guard let count = Int(count), count >= 0 else {
                    throw Mistake(message: "--shift needs a count, not '\(count)'")
                }
                shift = count
            case "--help", "-h":
                mode = .help
                return
            default: throw Mistake(message: "unknown option '\(option)'; --help lists them")
            }
        }
    }
}
