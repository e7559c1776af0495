// Example FILE   processes the orders of a file with Examples/Checkout, with a container that is released afterwards
//
// `.ci/leaks` copies the sources of the example beside this folder. It runs with and without a dry run.

import Checkout
import Foundation
import Hopoate
import Ledger

func run(_ arguments: [String], on lines: InputLines) async throws {
    let container = DependencyContainer.tracked()
    Services.register(in: container)
    try container.validate()
    let options = try Options(arguments, cores: 2)
    await DependencyContainer.$shared.withValue(container) {
        let report = await CheckoutRun(options).report(on: lines, name: "the sample")
        precondition(!report.text.isEmpty)
    }
}

func runAll(_ file: String) async throws -> String? {
    let lines = InputLines(try Data(contentsOf: URL(filePath: file)))
    let mark = Ledger.mark
    for arguments in [[], ["--dry-run"], ["--repeat", "2"]] { try await run(arguments, on: lines) }
    return await Ledger.leftovers(since: mark)
}

guard CommandLine.arguments.count == 2 else { fatalError("usage: Example FILE") }
let leftovers = try await runAll(CommandLine.arguments[1])
print(leftovers ?? "nothing of the example is alive")
Ledger.forget()
if leftovers != nil { exit(1) }
