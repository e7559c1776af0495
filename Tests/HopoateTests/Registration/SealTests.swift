import Foundation
import Hopoate
import Testing

/// Sealed containers, which refuse registrations.
@Suite(.mayBlock) struct SealTests {
    let container = DependencyContainer()

    @Test func everyRegistrationIsRefusedWithItsPlace() {
        let container = container
        container.register("text", for: String.self)
        container.seal()
        let line = #line - 1
        container.seal()
        #expect(container.isSealed)
        let changes: [() -> Void] = [
            { container.register("late", for: String.self) },
            { container.hopoate1.register(service: String.self, cacheService: false) { "late" } },
            { container.register(String.self) { _ in "late" } },
            { container.register(String.self, lifetime: .eager) { _ in "late" } },
            { container.register(String.self) { (_, _: Int) in "late" } },
            { container.register("late", for: String.self, replacing: true) },
            { container.decorate(String.self) { inner, _ in inner } },
            { container.forward(String.self, to: Int.self) { "\($0)" } },
        ]
        for change in changes {
            let error = trap(change)
            #expect(error?.reason == .sealed)
            #expect(error?.service == String.self)
            let seal = "sealed (at HopoateTests/SealTests.swift:\(line))"
            for part in ["'Swift.String", "HopoateTests/SealTests.swift:", seal, "makeChild()"] {
                #expect(error?.description.contains(part) == true, "\(part) in \(error.map(String.init) ?? "nothing")")
            }
        }
        #expect(container.resolveAll(String.self) == ["text"])
    }

    @Test func registrationsCanStillBeRemoved() throws {
        let token = container.register("text", for: String.self)
        let others = try container.install {
            Installing { $0.register(1, for: Int.self) }
            Installing { $0.register(true, for: Bool.self) }
        }
        container.register("below", for: String.self, named: "kept")
        container.seal()
        container.remove(token)
        container.remove(token)
        #expect(!container.canResolve(String.self))
        container.uninstall(others)
        container.uninstall(others)
        #expect(!container.canResolve(Int.self) && !container.canResolve(Bool.self))
        container.removeAll()
        #expect(!container.canResolve(String.self, named: "kept"))
        #expect(container.isSealed)
    }

    private struct Installing: DependencyModule {
        let body: @Sendable (DependencyContainer) -> Void

        init(_ body: @escaping @Sendable (DependencyContainer) -> Void) {
            self.body = body
        }

        func register(in container: DependencyContainer) { body(container) }
    }

    @Test func sealedContainerStillResolvesCreatesAndMakesChildren() async throws {
        let tracker = Tracker()
        container.register(Tracked.self) { _ in tracker.make(1) }
        container.register(Tracked.self, named: "scoped", lifetime: .scoped) { _ in tracker.make(2) }
        container.register(Tracked.self, lifetime: .keyed) { (_, number: Int) in tracker.make(number) }
        container.seal()
        container.seal()
        #expect(container.resolve(Tracked.self).number == 1)
        #expect(container.resolve(Tracked.self, named: "scoped").number == 2)
        #expect(container.resolve(Tracked.self, arguments: 3).number == 3)
        let child = container.makeChild()
        #expect(!child.isSealed)
        child.register(tracker.make(4), for: Tracked.self)
        #expect(child.resolve(Tracked.self).number == 4)
        #expect(child.resolve(Tracked.self, named: "scoped").number == 2)
        try await container.shutdown()
        #expect(!container.canResolve(Tracked.self))
    }

    @Test(arguments: [2, 4, 8])
    func registrationThatRacesWithSealIsFoundOrRefused(threads: Int) {
        // Each refused registration parks a thread.
        for _ in 0..<min(rounds(30), 10) {
            let container = DependencyContainer()
            let (taken, begun) = (Locked(0), Locked(0))
            let errors = race(threads) { index -> DependencyError? in
                if index == 0 {
                    while begun.current < threads / 2 { Thread.sleep(forTimeInterval: 0.000_01) }
                    container.seal()
                    return nil
                }
                begun.withLock { $0 += 1 }
                return trap {
                    for number in 0..<200 {
                        container.register(number, for: Int.self)
                        taken.withLock { $0 += 1 }
                    }
                }
            }
            check(errors.allSatisfy { $0 == nil || $0?.reason == .sealed })
            check(container.resolveAll(Int.self).count == taken.current)
        }
    }

    #if compiler(>=6.2)
        @Test func registrationInASealedContainerTraps() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let container = DependencyContainer()
                container.seal()
                container.register(1, for: Int.self)
            }
            expectSaid(
                result, ["Cannot register 'Swift.Int' at HopoateTests/SealTests.swift", "sealed", "before `seal()`"])
        }
    #endif
}
