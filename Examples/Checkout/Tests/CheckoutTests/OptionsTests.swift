import Testing

@testable import Checkout

@Suite struct OptionsTests {
    @Test func withoutArgumentsItReadsStandardInputOnAllCores() throws {
        let options = try Options([], cores: 6)
        #expect(options.file == nil)
        #expect(options.workers == 6)
        #expect(options.passes == 1)
        #expect(!options.isDryRun)
    }

    @Test func optionsAndFileComeInAnyOrder() throws {
        let options = try Options(["--workers", "3", "orders", "--dry-run", "--repeat", "2"], cores: 1)
        #expect(options.file == "orders")
        #expect(options.workers == 3)
        #expect(options.passes == 2)
        #expect(options.isDryRun)
        #expect(try Options(["-"], cores: 1).file == nil)
    }

    @Test(arguments: [
        ["--bogus"], ["-x"], ["--workers"], ["--workers", "0"], ["--workers", "-1"], ["--workers", "two"],
        ["--workers", "99999999999999999999"], ["--repeat", "0"], ["--repeat", "1.5"], ["a", "b"],
    ])
    func invalidArgumentsAreRefusedWithOneLine(arguments: [String]) throws {
        let error = #expect(throws: UsageError.self) { try Options(arguments, cores: 1) }
        let text = try #require(error).description
        #expect(!text.contains("\n"))
        #expect(text.contains(arguments.last!))
    }
}
