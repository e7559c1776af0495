import Foundation
import Testing

/// The program, run as a process.
@Suite struct CommandTests {
    @Test func readsAFile() throws {
        let result = try Command.checkout.run([Sample.orders.path])
        #expect(result.status == 0)
        #expect(result.errors.isEmpty)
        #expect(result.output.hasPrefix("Checkout: \(Sample.orders.path)\n"))
        #expect(result.output.contains("740,510.35"))
    }

    @Test(arguments: [[], ["-"]]) func readsStandardInput(arguments: [String]) throws {
        let result = try Command.checkout.run(arguments, input: Sample.orders)
        #expect(result.status == 0)
        #expect(result.output.hasPrefix("Checkout: standard input\n"))
        #expect(result.output.contains("740,510.35"))
    }

    @Test func anEmptyInputExitsWithStatus0() throws {
        let result = try Command.checkout.run([])
        #expect(result.status == 0)
        #expect(result.errors.isEmpty)
    }

    @Test func aDryRunShowsThatNothingWasCharged() throws {
        let result = try Command.checkout.run(["--dry-run", "--workers", "2", Sample.orders.path])
        #expect(result.status == 0)
        #expect(result.output.contains("dry run in front of card gateway"))
        #expect(result.output.contains("card gateway, charged 0\n"))
    }

    @Test func helpExitsWithStatus0() throws {
        let result = try Command.checkout.run(["--help"])
        #expect(result.status == 0)
        #expect(result.output.hasPrefix("usage: checkout"))
    }

    @Test(arguments: [["--bogus"], ["--workers", "0"], ["--repeat"]])
    func anInvalidCommandLineExitsWithStatus2(arguments: [String]) throws {
        let result = try Command.checkout.run(arguments)
        #expect(result.status == 2)
        #expect(result.output.isEmpty)
        #expect(result.errors.hasPrefix("checkout: "))
        #expect(result.errors.split(separator: "\n").count == 1)
    }

    @Test(arguments: ["/nowhere/orders.jsonl", "/"]) func anUnreadableFileExitsWithStatus1(path: String) throws {
        let result = try Command.checkout.run([path])
        #expect(result.status == 1)
        #expect(result.output.isEmpty)
        #expect(result.errors.hasPrefix("checkout: cannot read \(path): "))
        #expect(result.errors.split(separator: "\n").count == 1)
    }
}
