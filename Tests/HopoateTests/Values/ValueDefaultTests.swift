import Hopoate
import HopoateTestingHelpers
import Testing

/// A default whose instances the tracker of its container counts.
private enum PartKey: DependencyKey {
    static var defaultValue: Tracked { DependencyContainer.shared.resolve(Tracker.self).make() }
}
/// A default of the default container.
private enum ProcessKey: DependencyKey {
    static let tracker = Tracker()
    static var defaultValue: Tracked { tracker.make() }
}
/// A default that is also computed after a shutdown.
private enum ShutdownKey: DependencyKey {
    static let tracker = Tracker()
    static var defaultValue: Tracked { tracker.make() }
}

private enum LimitKey: DependencyKey {
    static let defaultValue = 7
}
/// Depends on another value.
private enum DoubleLimitKey: DependencyKey {
    static var defaultValue: Int { DependencyContainer.shared.values[LimitKey.self] * 2 }
}
/// Depends on itself.
private enum EndlessKey: DependencyKey {
    static var defaultValue: Int { DependencyContainer.shared.values[EndlessKey.self] }
}
private enum UserKey: DependencyKey {
    @TaskLocal static var user = "nobody"
    static var defaultValue: String { user }
}
private enum ContainerKey: DependencyKey {
    static var defaultValue: ObjectIdentifier { identity(of: .shared) }
}
private enum OptionalKey: DependencyKey {
    static let reads = Locked(0)
    static var defaultValue: Int? {
        reads.withLock { $0 += 1 }
        return nil
    }
}

/// The default of a value is computed once for each container without a parent.
@Suite(.mayBlock) struct ValueDefaultTests {
    let container = DependencyContainer()
    let tracker = Tracker()

    init() {
        let tracker = tracker
        container.register(tracker, for: Tracker.self)
    }

    @Test func aDefaultIsComputedOnceForAContainerAndItsChildren() {
        let value = container.values[PartKey.self]
        #expect(container.values[PartKey.self] === value)
        #expect(container.makeChild().makeChild().values[PartKey.self] === value)
        DependencyContainer.$shared.withValue(container) {
            withDependencies {
                $0[LimitKey.self] = 8
            } operation: {
                #expect(DependencyContainer.shared.values[PartKey.self] === value)
            }
        }
        #expect(tracker.made == 1)
    }

    @Test func aDefaultThatAChildComputesIsThatOfItsParent() {
        let value = container.makeChild().values[PartKey.self]
        #expect(container.values[PartKey.self] === value)
        #expect(tracker.made == 1)
    }

    @Test func eachContainerWithoutAParentHasADefaultOfItsOwn() {
        let other = DependencyContainer()
        other.register(tracker, for: Tracker.self)
        #expect(container.values[PartKey.self] !== other.values[PartKey.self])
        #expect(tracker.made == 2)
    }

    @Test func aDefaultOfTheDefaultContainerExistsOnce() {
        let objects = race(4) { _ in DependencyContainer.shared.values[ProcessKey.self] }
        #expect(Tracker.count(objects + [DependencyContainer.shared.values[ProcessKey.self]]) == 1)
        #expect(ProcessKey.tracker.made == 1)
    }

    @Test(arguments: threadCounts) func threadsGetOneDefault(threads: Int) {
        for round in 1...rounds(100) {
            let container = DependencyContainer()
            container.register(tracker, for: Tracker.self)
            let objects = race(threads) { _ in container.makeChild().values[PartKey.self] }
            check(Tracker.count(objects) == 1)
            check(tracker.made == round)
        }
        expectGone(tracker)
    }

    @Test func aValueThatIsSetNeedsNoDefault() {
        container.values[PartKey.self] = tracker.make(1)
        #expect(container.makeChild().values[PartKey.self].number == 1)
        #expect(tracker.made == 1)
        container.values.removeValue(for: PartKey.self)
        let value = container.values[PartKey.self]
        container.values[PartKey.self] = tracker.make(2)
        #expect(container.values[PartKey.self].number == 2)
        container.values.removeValue(for: PartKey.self)
        #expect(container.values[PartKey.self] === value)
        #expect(tracker.made == 3)
    }

    @Test func anOptionalDefaultOfNilIsComputedOnceToo() {
        #expect(container.values[OptionalKey.self] == nil)
        #expect(container.values[OptionalKey.self] == nil)
        #expect(OptionalKey.reads.current == 1)
    }

    @Test func aDefaultIsReleasedWithItsContainer() {
        let tracker = tracker
        do {
            let container = DependencyContainer()
            container.register(tracker, for: Tracker.self)
            #expect(container.makeChild().values[PartKey.self].isIntact)
            withExtendedLifetime(container) {}
        }
        expectGone(tracker)
    }

    @Test func aSealedContainerKeepsItsDefaultsToo() {
        container.seal()
        #expect(container.values[PartKey.self] === container.values[PartKey.self])
    }

    @Test func removeAllForgetsTheDefaults() {
        let value = container.values[PartKey.self]
        container.removeAll()
        container.register(tracker, for: Tracker.self)
        #expect(container.values[PartKey.self] !== value)
    }

    @Test func aContainerThatWasShutDownKeepsNoDefault() throws {
        #expect(container.values[ShutdownKey.self].isIntact)
        try container.shutdownWithoutAwaitingHooks()
        expectGone(ShutdownKey.tracker)
        #expect(container.values[ShutdownKey.self].isIntact)
        #expect(container.makeChild().values[ShutdownKey.self].isIntact)
        #expect(ShutdownKey.tracker.made == 3)
        expectGone(ShutdownKey.tracker)
    }

    @Test func aDefaultIsNoRegistration() {
        _ = container.values[PartKey.self]
        #expect(container.registrations.count == 1)
        #expect(!container.canResolve(Tracked.self))
        let error = failure { () throws(DependencyError) in try container.require(Tracked.self) }
        #expect(error?.description.contains("PartKey") == false)
        #expect(throws: Never.self) { try container.validate() }
    }

    @Test func anIsolatedTestHasDefaultsOfItsOwn() async throws {
        let value = container.values[PartKey.self]
        try await DependencyContainer.$shared.withValue(container) {
            try await withIsolatedDependencies {
                DependencyContainer.shared.register(tracker, for: Tracker.self)
                #expect(DependencyContainer.shared.values[PartKey.self] !== value)
            }
            try await withIsolatedDependencies(.inheriting) {
                #expect(DependencyContainer.shared.values[PartKey.self] === value)
            }
        }
    }

    @Test func aDefaultMayDependOnAnotherValueOfItsContainer() {
        container.values[LimitKey.self] = 10
        let request = container.makeChild()
        request.values[LimitKey.self] = 20
        DependencyContainer.$shared.withValue(request) {
            #expect(DependencyContainer.shared.values[DoubleLimitKey.self] == 20)
        }
    }

    @Test func aDefaultSeesNothingOfItsFirstReader() {
        let child = container.makeChild()
        DependencyContainer.$shared.withValue(child) {
            #expect(DependencyContainer.shared.values[ContainerKey.self] == identity(of: container))
            #if compiler(>=6.2)
                UserKey.$user.withValue("Grace") {
                    #expect(DependencyContainer.shared.values[UserKey.self] == "nobody")
                }
            #endif
        }
    }

    @Test func aDefaultThatDependsOnItselfIsReported() {
        let container = container
        let error = trap {
            DependencyContainer.$shared.withValue(container) { _ = container.values[EndlessKey.self] }
        }
        #expect(error?.reason == .circular)
        #expect(error?.description.contains("EndlessKey") == true)
    }
}
