import Hopoate
import HopoateTestingHelpers
import Testing

private struct Failed: Error, Equatable {}

@Suite struct SpyTests {
    @Test func callsAreRecordedWithTheirArguments() {
        let spy = Spy<(String, Int)>("Mailer.send")
        spy.record(("Ada", 1))
        spy.record(("Grace", 2))
        #expect(spy.calls.map(\.0) == ["Ada", "Grace"])
        #expect(spy.calls.map(\.1) == [1, 2])
        spy.expectCalled()
        spy.expectCalled(times: 2)
    }

    @Test func recordingFunctionDoesTheSameAsItsOriginal() async throws {
        let one = Spy<Int>()
        let double = one.recording { (number: Int) in 2 * number }
        #expect(double(7) == 14)
        let two = Spy<(Int, String)>()
        let failing = two.recording { (_: Int, _: String) throws -> Int in throw Failed() }
        #expect(throws: Failed()) { try failing(7, "seven") }
        let suspending = two.recording { (number: Int, _: String) async -> Int in
            await Task.yield()
            return number
        }
        #expect(try await suspending(8, "eight") == 8)
        #expect(one.calls == [7])
        #expect(two.calls.map(\.1) == ["seven", "eight"])
        let none = Spy<Void>()
        none.recording {}()
        none.expectCalled(times: 1)
    }

    @Test func callsAreRecordedFromAllTasks() async {
        let spy = Spy<Int>()
        let function = spy.recording { (_: Int) in }
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<8 { group.addTask { for _ in 0..<1000 { function(number) } } }
        }
        spy.expectCalled(times: 8000)
        #expect((0..<8).allSatisfy { number in spy.calls.count { $0 == number } == 1000 })
    }
}

@Suite struct UnimplementedTests {
    private func text(_ body: @escaping () async throws -> Void) async -> String {
        let error = await #expect(throws: (any Error).self) { try await withIsolatedDependencies(.empty, body) }
        return error.map { "\($0)" } ?? ""
    }

    @Test func callFailsWithTheNameAndThePlace() async {
        let line = #line + 2
        let text = await text {
            let send: @Sendable (String, Int) -> Bool = unimplemented("Mailer.send", returning: true)
            #expect(send("Ada", 1))
        }
        #expect(text.contains("The function 'Mailer.send' is unimplemented, at \(#fileID):\(line), but was called."))
    }

    @Test func handledErrorOfACallFailsAllTheSame() async {
        let text = await text {
            let send: @Sendable (String) throws -> Void = unimplemented("Mailer.send")
            try? send("Ada")
        }
        #expect(text.contains("The function 'Mailer.send' is unimplemented"))
        let thrown = await self.text {
            let send: @Sendable (String) async throws -> Void = unimplemented("Mailer.send")
            try await send("Ada")
        }
        #expect(thrown.contains("The function 'Mailer.send' is unimplemented"))
    }

    @Test func callInAnotherTaskFailsTheTestThatMadeThePlaceholder() async {
        let text = await text {
            let send: @Sendable () -> Void = unimplemented("Mailer.send", returning: ())
            await Task.detached { send() }.value
            await MainActor.run { send() }
        }
        #expect(text.contains("The function 'Mailer.send' is unimplemented"))
    }

    @Test func resolvedPlaceholderFailsWithItsChain() async {
        let text = await text {
            DependencyContainer.shared.register(unimplemented: Int.self, named: "port")
            DependencyContainer.shared.register(String.self) { container in
                "\((try? container.require(Int.self, named: "port")) ?? 0)"
            }
            #expect(resolve(String.self) == "0")
        }
        #expect(text.contains("The service 'Swift.Int' named \"port\" is unimplemented, at \(#fileID):"))
        #expect(text.contains("but was resolved."))
        #expect(text.contains("Dependency chain: Swift.String → Swift.Int named \"port\"."))
        let error = await #expect(throws: DependencyError.self) {
            try await withIsolatedDependencies {
                DependencyContainer.shared.register(unimplemented: Int.self)
                _ = resolve(Int.self)
            }
        }
        #expect(error?.reason == .creationFailed)
    }

    @Test(.isolatedDependencies) func unusedPlaceholderFailsNothing() {
        DependencyContainer.shared.register(unimplemented: Int.self)
        let _: @Sendable () -> Void = unimplemented("unused", returning: ())
    }
}
