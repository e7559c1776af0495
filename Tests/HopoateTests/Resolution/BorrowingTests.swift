import Hopoate
import Testing

/// The method and the free function for a borrow. Each test runs with both.
enum Spelling: CaseIterable, Sendable {
    case method, function

    func borrow<Service, Output>(
        _ type: Service.Type, from container: DependencyContainer, _ body: (Service) throws -> Output
    ) rethrows -> Output {
        switch self {
        case .method: try container.withService(type, body)
        case .function: try DependencyContainer.$shared.withValue(container) { try withService(type, body) }
        }
    }

    func borrowIfThere<Service, Output>(
        _ type: Service.Type, from container: DependencyContainer, _ body: (Service) throws -> Output
    ) rethrows -> Output? {
        switch self {
        case .method: try container.withOptionalService(type, body)
        // There is no such function for an optional service.
        case .function:
            try DependencyContainer.$shared.withValue(container) {
                try DependencyContainer.shared.withOptionalService(type, body)
            }
        }
    }
}

/// Borrowed access. MemoryTests checks that a removed service is released as soon as the closure ends.
@Suite(.mayBlock) struct BorrowingTests {
    let container = DependencyContainer()
    let tracker = Tracker()

    @Test(arguments: Spelling.allCases) func returnsTheResultOfTheClosure(spelling: Spelling) {
        container.register(tracker.make(7), for: Tracked.self)
        #expect(spelling.borrow(Tracked.self, from: container) { $0.number } == 7)
        #expect(spelling.borrowIfThere(Tracked.self, from: container) { $0.number } == 7)
        spelling.borrow(Tracked.self, from: container) { #expect($0.isIntact) }
    }

    @Test(arguments: Spelling.allCases) func closureResultNilIsDistinguishedFromAMiss(spelling: Spelling) {
        container.register(tracker.make(7), for: Tracked.self)
        let nothing: Int? = spelling.borrow(Tracked.self, from: container) { _ in nil }
        #expect(nothing == nil)
        let inner: Int?? = spelling.borrowIfThere(Tracked.self, from: container) { _ in Int?.none }
        #expect(inner == .some(nil))
        let outer: Int?? = spelling.borrowIfThere(String.self, from: container) { _ in Int?.none }
        #expect(outer == Int??.none)
    }

    @Test(arguments: Spelling.allCases) func missingServiceIsNilAndTheClosureIsNotCalled(spelling: Spelling) {
        var calls = 0
        let output: Void? = spelling.borrowIfThere(Tracked.self, from: container) { _ in calls += 1 }
        #expect(output == nil)
        let child = container.makeChild()
        #expect(spelling.borrowIfThere(Tracked.self, from: child) { _ in calls += 1 } == nil)
        #expect(calls == 0)
    }

    @Test(arguments: Spelling.allCases) func closureRunsOnce(spelling: Spelling) {
        var calls = 0
        container.register(1, for: Int.self)
        let child = container.makeChild()
        child.register(2, for: Int.self)
        #expect(spelling.borrowIfThere(Int.self, from: child) { calls += $0 } != nil)
        #expect(calls == 2)
    }

    @Test func errorsKeepTheirTypes() {
        container.register(1, for: Int.self)
        func check(_ body: () throws(Refusal) -> Void) {
            do throws(Refusal) {
                try body()
                Issue.record("nothing was thrown")
            } catch {
                let refusal: Refusal = error
                #expect(refusal == .second)
            }
        }
        let refuse: (Int) throws(Refusal) -> Void = { _ throws(Refusal) in throw .second }
        check { () throws(Refusal) in try container.withService(Int.self, refuse) }
        check { () throws(Refusal) in _ = try container.withOptionalService(Int.self, refuse) }
        DependencyContainer.$shared.withValue(container) {
            check { () throws(Refusal) in try withService(Int.self, refuse) }
        }
    }

    @Test(arguments: Spelling.allCases) func thrownErrorEndsTheBorrow(spelling: Spelling) {
        let token = container.register(tracker.make(), for: Tracked.self)
        for _ in 0..<3 {
            #expect(throws: Refusal.first) {
                try spelling.borrow(Tracked.self, from: container) { _ in throw Refusal.first }
            }
        }
        container.remove(token)
        #expect(spelling.borrowIfThere(Tracked.self, from: container) { _ in } == nil)
    }

    @Test(arguments: Spelling.allCases) func uncachedServiceLivesForTheClosureOnly(spelling: Spelling) {
        container.hopoate1.register(service: Tracked.self, cacheService: false) { [tracker] in
            tracker.make(tracker.made)
        }
        for number in 0..<3 {
            spelling.borrow(Tracked.self, from: container) {
                #expect($0.number == number)
                #expect(tracker.live == 1)
            }
            #expect(tracker.live == 0)
        }
        #expect(throws: Refusal.first) {
            try spelling.borrow(Tracked.self, from: container) { _ in throw Refusal.first }
        }
        #expect(tracker.live == 0)
    }

    @Test(arguments: Spelling.allCases) func keptCopyOutlivesTheClosure(spelling: Spelling) {
        let token = container.register(tracker.make(3), for: Tracked.self)
        let kept = spelling.borrow(Tracked.self, from: container) { $0 }
        container.remove(token)
        container.removeAll()
        withExtendedLifetime(kept) { #expect(tracker.live == 1) }
        #expect(kept.isIntact && kept.number == 3)
    }

    @Test(arguments: Spelling.allCases) func removedServiceLivesToTheEndOfTheClosure(spelling: Spelling) {
        container.register(tracker.make(1), for: Tracked.self)
        // Without the token, only the borrow keeps the service alive.
        var token: ServiceRegistration<Tracked>? = container.register(tracker.make(2), for: Tracked.self)
        spelling.borrow(Tracked.self, from: container) { service in
            token.map(container.remove)
            token = nil
            #expect(container.resolve(Tracked.self).number == 1)
            churn()
            #expect(service.isIntact && service.number == 2)
            #expect(tracker.live == 2)
        }
        #expect(container.resolveAll(Tracked.self).map(\.number) == [1])
        container.removeAll()
        expectGone(tracker)
    }

    @Test(arguments: Spelling.allCases) func overwrittenServiceLivesToTheEndOfTheClosure(spelling: Spelling) {
        for number in 1...3 { container.register(tracker.make(number), for: Tracked.self) }
        spelling.borrow(Tracked.self, from: container) { service in
            container.register(tracker.make(4), for: Tracked.self, replacing: true)
            churn()
            #expect(service.isIntact && service.number == 3)
            spelling.borrow(Tracked.self, from: container) { #expect($0.number == 4) }
            #expect(container.resolve(Tracked.self).number == 4)
        }
        container.removeAll()
        expectGone(tracker)
    }

    @Test(arguments: Spelling.allCases) func borrowsNest(spelling: Spelling) {
        container.register(tracker.make(1), for: Tracked.self)
        container.register(2, for: Int.self)
        let sum = spelling.borrow(Tracked.self, from: container) { outer in
            spelling.borrow(Int.self, from: container) { middle in
                container.removeAll()
                churn()
                return spelling.borrowIfThere(Int.self, from: container) { $0 } ?? outer.number + middle
            }
        }
        #expect(sum == 3)
        expectGone(tracker)
    }

    @Test(arguments: Spelling.allCases) func deeplyNestedBorrowsUnwind(spelling: Spelling) {
        container.register(tracker.make(1), for: Tracked.self)
        func descend(_ depth: Int) -> Int {
            guard depth > 0 else {
                container.removeAll()
                return 0
            }
            return spelling.borrow(Tracked.self, from: container) { $0.number + descend(depth - 1) }
        }
        #expect(descend(100) == 100)
        expectGone(tracker)
    }

    @Test(arguments: Spelling.allCases) func closureMayRegisterAndResolve(spelling: Spelling) {
        container.register(tracker.make(1), for: Tracked.self)
        spelling.borrow(Tracked.self, from: container) { service in
            container.register(tracker.make(2), for: Tracked.self)
            container.register("new", for: String.self)
            #expect(container.resolve(Tracked.self).number == 2)
            #expect(container.resolve(String.self) == "new")
            #expect(container.resolveAll(Tracked.self).map(\.number) == [2, 1])
            #expect(service.number == 1)
        }
    }

    @Test func closureMayDropItsContainer() {
        var dropped: DependencyContainer? = DependencyContainer()
        weak var container: DependencyContainer?
        container = dropped
        dropped?.register(tracker.make(5), for: Tracked.self)
        dropped?.withService(Tracked.self) { service in
            dropped = nil
            churn()
            #expect(service.isIntact && service.number == 5)
        }
        #expect(container == nil)
        expectGone(tracker)
    }

    @Test(arguments: Spelling.allCases) func closureMayDropAnotherContainerThatItBorrowsFrom(spelling: Spelling) {
        var other: DependencyContainer? = DependencyContainer()
        other?.register(tracker.make(2), for: Tracked.self)
        container.register(1, for: Int.self)
        spelling.borrow(Int.self, from: container) { _ in
            #expect(other?.withService(Tracked.self) { $0.number } == 2)
            other = nil
        }
        expectGone(tracker)
    }

    @Test(arguments: Spelling.allCases) func soleOwnerOfItsContainerLivesToTheEndOfTheClosure(spelling: Spelling) {
        final class Owner: Sendable {
            let container: DependencyContainer
            let tracked: Tracked
            init(_ container: DependencyContainer, _ tracked: Tracked) {
                self.container = container
                self.tracked = tracked
            }
        }
        container.register(Owner(DependencyContainer(), tracker.make(1)), for: Owner.self)
        spelling.borrow(Owner.self, from: container) { owner in
            owner.container.register(tracker.make(2), for: Tracked.self)
            container.removeAll()
            #expect(owner.container.resolve(Tracked.self).number == 2)
            #expect(owner.tracked.isIntact)
        }
        expectGone(tracker)
    }

    /// Makes writes that would release the borrowed service and reuse its memory if the borrow did not protect it.
    private func churn() {
        let scratch = DependencyContainer()
        for number in 0..<20 { scratch.remove(scratch.register([number], for: [Int].self)) }
    }
}
