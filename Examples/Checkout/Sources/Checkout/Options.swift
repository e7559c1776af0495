/// The options of the command line.
package struct Options: Equatable, Sendable {
    /// Nil for standard input.
    package var file: String?
    package var isDryRun = false
    package var wantsHelp = false
    package var workers: Int
    package var passes = 1

    package static let usage = """
        usage: checkout [options] [FILE]

        Takes orders, one JSON object a line, from FILE or from standard input, and prints a report.

          --dry-run      charge nothing
          --workers N    how many tasks work, 1 to 1024; as many as there are cores by default
          --repeat N     take the input N times, each time with full stock, 1 to 1000000
          --help         print this
        """

    /// Parses arguments without the name of the program.
    ///
    /// - Parameters:
    ///   - arguments: The arguments.
    ///   - cores: The default number of workers.
    /// - Throws: An error with a message for the user.
    package init(_ arguments: [String], cores: Int) throws(UsageError) {
        workers = max(1, cores)
        var files: [String] = []
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--dry-run": isDryRun = true
            case "--help": wantsHelp = true
            case "--workers": workers = try number(in: 1...1024, for: argument, from: rest.popFirst())
            case "--repeat": passes = try number(in: 1...1_000_000, for: argument, from: rest.popFirst())
            case _ where argument.hasPrefix("-") && argument != "-":
                throw UsageError("unknown option '\(argument)'")
            default: files.append(argument)
            }
        }
        guard files.count <= 1 else { throw UsageError("more than one file: '\(files[1])'") }
        file = files.first == "-" ? nil : files.first
    }
}

/// The reason why a command line is invalid.
package struct UsageError: Error, Equatable, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}

private func number(in range: ClosedRange<Int>, for option: String, from text: String?) throws(UsageError) -> Int {
    guard let text else { throw UsageError("\(option) needs a number") }
    guard let number = Int(text), range.contains(number) else {
        throw UsageError("\(option) needs a number from \(range.lowerBound) to \(range.upperBound), not '\(text)'")
    }
    return number
}
