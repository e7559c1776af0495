// Run by the script `scaling`, under callgrind: a line for each check, then the checks at n and 8 n. Each count goes to a
// file of its own, whose label is the number of the check and n.

import CScaling

let selection = CommandLine.arguments.dropFirst()
let checks = allChecks.filter { check in selection.isEmpty || selection.contains { check.operation.contains($0) } }
for (number, check) in checks.enumerated() {
    print("check\t\(number)\t\(check.operation)\t\(check.n)\t\(check.bound)\t\(check.isPlanted ? "planted" : "")")
}
for (number, check) in checks.enumerated() {
    // Once without counting, because types, symbols and tables of the process are made by their first use.
    check.body(8, Meter(label: nil))
    for n in [check.n, check.n * 8] { check.body(n, Meter(label: "\(number) \(n)")) }
}
