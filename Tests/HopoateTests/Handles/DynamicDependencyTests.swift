import Hopoate
import HopoateTestingHelpers
import Testing

private protocol Clock: Sendable { var time: Int { get } }
private struct Fixed: Clock { let time: Int }

private enum StepKey: DependencyKey {
    static let defaultValue = 1
}
extension DependencyValues {
    fileprivate var step: Int { self[StepKey.self] }
}

// Unchecked, because the attribute makes variables. Sound, because the wrapper is immutable.
private final class Display: @unchecked Sendable {
    @DynamicDependency var clock: any Clock
    @DynamicDependency("tower") var tower: any Clock
    @DynamicDependency(\.step) var step: Int
    func read() -> Int { clock.time }
}
/// Services of the container that is `shared` when it is made.
private final class Fixture: @unchecked Sendable {
    @DynamicDependency(container: .shared) var clock: any Clock
    @DynamicDependency("tower", container: .shared) var tower: any Clock
    @DynamicDependency(\.step, container: .shared) var step: Int
}
// A compile-time check.
private struct SendableDisplay: Sendable {
    @DynamicDependency var plain: Plain
}
/// Not Sendable.
private final class Plain {}

/// `DynamicDependency`.
@Suite(.mayBlock) struct DynamicDependencyTests {
    let container = DependencyContainer()
    let tracker = Tracker()

    private func bound<Output>(_ body: () throws -> Output) rethrows -> Output {
        try DependencyContainer.$shared.withValue(container, operation: body)
    }

    @Test func aServiceRegisteredAfterTheObjectIsSeen() {
        let display = bound { Display() }
        container.register(Fixed(time: 1), for: (any Clock).self)
        bound { #expect(display.read() == 1) }
        let fake = container.register(Fixed(time: 2), for: (any Clock).self)
        bound { #expect(display.read() == 2) }
        container.remove(fake)
        bound { #expect(display.read() == 1) }
    }

    @Test func eachAccessResolves() {
        container.register(Tracked.self, lifetime: .transient) { [tracker] _ in tracker.make() }
        let wrapper = DynamicDependency<Tracked>()
        #expect(tracker.made == 0)
        bound { #expect(wrapper.wrappedValue !== wrapper.wrappedValue) }
        #expect(tracker.made == 2)
        expectGone(tracker)
    }

    @Test func theContainerIsTheSharedOneAtTheAccess() async {
        let display = bound { Display() }
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    let container = DependencyContainer()
                    container.register(Fixed(time: number), for: (any Clock).self)
                    await DependencyContainer.$shared.withValue(container) {
                        await Task.yield()
                        check(display.read() == number)
                    }
                }
            }
        }
    }

    @Test func aNameIsThatOfTheService() {
        container.register(Fixed(time: 1), for: (any Clock).self)
        container.register(Fixed(time: 2), for: (any Clock).self, named: "tower")
        let display = Display()
        bound {
            #expect(display.clock.time == 1)
            #expect(display.tower.time == 2)
        }
    }

    @Test func aKeyPathIsLookedUpAtEachAccess() {
        let display = Display()
        bound {
            #expect(display.step == 1)
            container.values[StepKey.self] = 2
            #expect(display.step == 2)
            withDependencies {
                $0[StepKey.self] = 3
            } operation: {
                #expect(display.step == 3)
            }
        }
    }

    @Test func aGivenContainerIsUsedAtEachAccess() {
        let fixture = bound { Fixture() }
        container.register(Fixed(time: 1), for: (any Clock).self)
        container.register(Fixed(time: 2), for: (any Clock).self, named: "tower")
        DependencyContainer.$shared.withValue(DependencyContainer()) {
            #expect(fixture.clock.time == 1)
            #expect(fixture.tower.time == 2)
            #expect(fixture.step == 1)
            container.register(Fixed(time: 3), for: (any Clock).self)
            container.values[StepKey.self] = 3
            #expect(fixture.clock.time == 3)
            #expect(fixture.step == 3)
        }
    }

    @Test func aSingletonSeesTheServicesOfEachRequest() {
        container.register(Display.self) { _ in Display() }
        container.register((any Clock).self, lifetime: .scoped) { container in try Fixed(time: container(Int.self)) }
        let display = container.resolve(Display.self)
        for number in 0..<3 {
            let request = container.makeChild()
            request.register(number, for: Int.self)
            DependencyContainer.$shared.withValue(request) { #expect(display.read() == number) }
        }
    }

    @Test func aServiceOfAContainerDoesNotKeepItAlive() throws {
        var container: DependencyContainer? = DependencyContainer()
        container?.register(tracker.make(), for: Tracked.self)
        container?.register(Fixed(time: 1), for: (any Clock).self)
        container?.register(Fixture.self) { _ in Fixture() }
        let fixture = try #require(container?.resolve(Fixture.self))
        #expect(fixture.clock.time == 1)
        container = nil
        expectGone(tracker)
        #expect(trap { _ = fixture.clock }?.reason == .containerGone)
        #expect(trap { _ = fixture.step }?.reason == .containerGone)
    }

    @Test func aWrapperOutsideOfAServiceKeepsItsContainer() {
        let fixture = {
            let container = DependencyContainer()
            container.register(Fixed(time: 1), for: (any Clock).self)
            return DependencyContainer.$shared.withValue(container) { Fixture() }
        }()
        #expect(fixture.clock.time == 1)
    }

    @Test func aScopedServiceIsNoCaptiveOfAGivenRequest() {
        container.register((any Clock).self, lifetime: .scoped) { _ in Fixed(time: 1) }
        container.register(Fixture.self, lifetime: .scoped) { _ in Fixture() }
        let request = container.makeChild()
        withExtendedLifetime(request) { #expect(request.resolve(Fixture.self).clock.time == 1) }
        // A singleton would get the scoped service of one container, so the library refuses it.
        container.register(Fixture.self) { _ in Fixture() }
        let fixture = container.resolve(Fixture.self)
        #expect(trap { _ = fixture.clock }?.reason == .captive)
    }

    @Test func anAccessInAFactoryOfTheSameServiceIsReported() {
        container.register((any Clock).self) { _ in Fixed(time: Display().clock.time) }
        let container = container
        let error = trap { _ = container.resolve((any Clock).self) }
        #expect(error?.reason == .circular)
    }

    @Test func aMissingServiceNamesTheDeclaration() {
        let container = container
        let display = Display()
        let error = trap { DependencyContainer.$shared.withValue(container) { _ = display.clock } }
        #expect(error?.reason == .notRegistered)
        #expect(error?.description.contains("DynamicDependencyTests.swift:") == true)
        #expect(error?.description.contains("Clock") == true)
        let fixture = bound { Fixture() }
        let other = trap { _ = fixture.tower }
        #expect(other?.reason == .notRegistered)
        #expect(other?.description.contains("DynamicDependencyTests.swift:") == true)
        #expect(other?.description.contains("tower") == true)
    }

    @Test func anObjectMayBeUsedBeforeAnyFake() {
        container.register(Fixed(time: 1), for: (any Clock).self)
        bound {
            let display = Display()
            #expect(display.read() == 1)
            DependencyContainer.$shared.withValue(DependencyContainer()) {
                DependencyContainer.shared.register(Fixed(time: 2), for: (any Clock).self)
                #expect(display.read() == 2)
            }
            container.withStub(Fixed(time: 3), for: (any Clock).self) { #expect(display.read() == 3) }
            #expect(display.read() == 1)
        }
    }

    @Test(arguments: threadCounts) func registeringWhileOthersReadIsSafe(threads: Int) {
        let wrapper = DynamicDependency<Tracked>(container: container)
        container.register(tracker.make(), for: Tracked.self)
        runThreads(threads) { [container, tracker] index in
            for round in 0..<rounds(1_000) {
                if (index + round) % 8 == 0 {
                    container.register(tracker.make(), for: Tracked.self, replacing: true)
                } else {
                    check(wrapper.wrappedValue.isIntact)
                }
            }
        }
        container.removeAll()
        expectGone(tracker)
    }
}
