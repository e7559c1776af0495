import Hopoate
import Testing

/// `require`, and the errors that it throws.
@Suite(.mayBlock) struct RequireTests {
    let container = DependencyContainer()

    @Test func requireFindsTheServicesOfResolve() throws {
        container.register("eager", for: String.self)
        container.register(Int.self) { _ in 7 }
        container.hopoate1.register(service: Double.self, cacheService: false) { 0.5 }
        let child = container.makeChild()
        for asked in [container, child] {
            #expect(try asked.require(String.self) == "eager")
            #expect(try asked.require() == 7)
            #expect(try asked.require(Double.self) == 0.5)
        }
    }

    @Test func missingServiceIsAnErrorOfTheSameTextAsTheTrap() {
        let container = container
        let thrown = failure { () throws(DependencyError) in
            try container.require(Tracked.self, fileID: "There.swift", line: 7)
        }
        let trapped = trap { _ = container.resolve(Tracked.self, fileID: "There.swift", line: 7) }
        #expect(thrown?.reason == .notRegistered && trapped?.reason == .notRegistered)
        #expect(thrown?.service == Tracked.self)
        #expect(thrown?.description == trapped?.description)
        #expect(thrown?.underlying == nil)
        #expect(thrown?.chain == ["HopoateTests.Tracked"])
    }

    @Test func missingServiceIsReportedWithItsChain() {
        container.register(String.self) { container in "\(try container.require(Int.self))" }
        container.register(Int.self, lifetime: .transient) { container in Int(try container.require(Double.self)) }
        let error = failure { () throws(DependencyError) in try container.require(String.self) }
        #expect(error?.reason == .notRegistered)
        #expect(error?.service == Double.self)
        #expect(error?.chain == ["Swift.String", "Swift.Int", "Swift.Double"])
        #expect(error?.description.contains("Dependency chain: Swift.String → Swift.Int → Swift.Double.") == true)
        // The failed creation left nothing behind.
        container.register(1.5, for: Double.self)
        #expect(container.resolve(String.self) == "1")
    }

    @Test func nestedFailureKeepsItsDetails() {
        struct Own: Error {}
        container.register(Int.self) { _ in throw Own() }
        container.register(String.self) { (container: DependencyContainer) throws -> String in
            let error = failure { () throws(DependencyError) in try container.require(Int.self) }
            #expect(error?.reason == .creationFailed && error?.underlying is Own)
            throw Refusal.second
        }
        let error = failure { () throws(DependencyError) in try container.require(String.self) }
        #expect(error?.service == String.self && error?.underlying as? Refusal == .second)
    }

    @Test func freeFunctionUsesTheDefaultContainer() throws {
        container.register(7, for: Int.self)
        try DependencyContainer.$shared.withValue(container) {
            #expect(try require(Int.self) == 7)
            let found: Int = try require()
            #expect(found == 7)
            #expect(failure { () throws(DependencyError) in try require(Tracked.self) }?.reason == .notRegistered)
        }
    }

    @Test func handlerIsCalledBeforeATrap() {
        let container = container
        #expect(trap { _ = container.resolve(Tracked.self) }?.reason == .notRegistered)
        #expect(trap { _ = container.makeChild().resolve(Tracked.self) }?.reason == .notRegistered)
        container.register(Int.self) { _ in throw Refusal.first }
        #expect(trap { _ = container.resolve(Int.self) }?.underlying as? Refusal == .first)
        #expect(trap { _ = container.optionalResolve(Int.self) }?.reason == .creationFailed)
        #expect(trap { _ = container.resolveAll(Int.self) }?.reason == .creationFailed)
        #expect(trap { _ = container.withService(Int.self) { $0 } }?.reason == .creationFailed)
        #expect(trap { _ = Dependency<Int>(container: container).wrappedValue }?.reason == .creationFailed)
    }

    #if compiler(>=6.2)
        @Test func throwingFactoryTrapsInANonThrowingCall() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let container = DependencyContainer()
                container.register(Int.self) { _ in throw Refusal.second }
                container.register(String.self) { container in "\(container.resolve(Int.self))" }
                _ = container.resolve(String.self)
            }
            expectSaid(
                result,
                [
                    "Cannot resolve 'Swift.Int' at HopoateTests/RequireTests.swift:",
                    "its factory threw an error: second",
                    "Dependency chain: Swift.String → Swift.Int.",
                ])
        }
    #endif
}
