// `Benchmarks/instructions --scaling` runs this under callgrind. It prints a line for each check and runs the check at n and 8 n.
// Each count goes to its own file, whose label is the number of the check and n.

import CScaling

let selection = CommandLine.arguments.dropFirst()
let checks = allChecks.filter { check in selection.isEmpty || selection.contains { check.operation.contains($0) } }
for (number, check) in checks.enumerated() {
    print("check\t\(number)\t\(check.operation)\t\(check.n)\t\(check.bound)\t\(check.isPlanted ? "planted" : "")")
}
for (number, check) in checks.enumerated() {
    // Once without counting, because the first use creates types, symbols and tables of the process.
    check.body(8, Meter(label: nil))
    for n in [check.n, check.n * 8] { check.body(n, Meter(label: "\(number) \(n)")) }
}
