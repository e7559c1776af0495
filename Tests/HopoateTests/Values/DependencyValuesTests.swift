import Hopoate
import Testing

private protocol Clock { var time: Int { get } }
private struct Fixed: Clock { var time: Int }
/// Not Sendable.
private final class Box { var number = 0 }

private enum ClockKey: DependencyKey {
    static var defaultValue: any Clock { Fixed(time: 0) }
}
private enum BoxKey: DependencyKey {
    static var defaultValue: Box { Box() }
}
private enum TrackedKey: DependencyKey {
    static var defaultValue: Tracked? { nil }
}
/// A second key for values of the same type.
private enum OtherClockKey: DependencyKey {
    static var defaultValue: any Clock { Fixed(time: -1) }
}

extension DependencyValues {
    fileprivate var clock: any Clock {
        get { self[ClockKey.self] }
        nonmutating set { self[ClockKey.self] = newValue }
    }
    /// The plain setter, which is mutating.
    fileprivate var otherClock: any Clock {
        get { self[OtherClockKey.self] }
        set { self[OtherClockKey.self] = newValue }
    }
    fileprivate var box: Box { self[BoxKey.self] }
    fileprivate var tracked: Tracked? {
        get { self[TrackedKey.self] }
        nonmutating set { self[TrackedKey.self] = newValue }
    }
}

private struct Screen {
    @Dependency(\.clock) var clock
    @Dependency(\.otherClock) var other: any Clock
    func read() -> Int { clock.time }
}
private struct SendableScreen: Sendable {
    @Dependency(\.name) var name: String
}
extension DependencyValues {
    fileprivate var name: String { "a name" }
}

/// Environment values in a container.
@Suite(.mayBlock) struct DependencyValuesTests {
    let container = DependencyContainer()
    let tracker = Tracker()

    @Test func unsetValueIsTheDefault() {
        #expect(container.values.clock.time == 0)
        #expect(container.values[OtherClockKey.self].time == -1)
        #expect(DependencyContainer.$shared.withValue(container) { Screen() }.read() == 0)
    }

    @Test func valueThatIsSetIsSeen() {
        container.values.clock = Fixed(time: 7)
        #expect(container.values.clock.time == 7)
        container.values.clock = Fixed(time: 8)
        #expect(container.values.clock.time == 8)
        #expect(DependencyContainer().values.clock.time == 0)
    }

    @Test func settersMayBeMutating() {
        container.values.otherClock = Fixed(time: 7)
        #expect(container.values.otherClock.time == 7)
        var values = container.values
        values.otherClock = Fixed(time: 8)
        #expect(container.values.otherClock.time == 8)
    }

    @Test func keysDistinguishValuesOfOneType() {
        container.values.clock = Fixed(time: 7)
        #expect(container.values.otherClock.time == -1)
        #expect(!container.canResolve((any Clock).self))
    }

    @Test func childInheritsAndOverridesValues() {
        container.values.clock = Fixed(time: 1)
        let child = container.makeChild()
        let grandchild = child.makeChild()
        #expect(grandchild.values.clock.time == 1)
        child.values.clock = Fixed(time: 2)
        #expect(grandchild.values.clock.time == 2)
        #expect(container.values.clock.time == 1)
        child.values.removeValue(for: ClockKey.self)
        #expect(grandchild.values.clock.time == 1)
        container.values.removeValue(for: ClockKey.self)
        container.values.removeValue(for: ClockKey.self)
        #expect(grandchild.values.clock.time == 0)
    }

    @Test func replacedValueIsReleased() {
        container.values.tracked = tracker.make(1)
        container.values.tracked = tracker.make(2)
        #expect(container.values.tracked?.number == 2)
        container.values.removeValue(for: TrackedKey.self)
        expectGone(tracker)
    }

    @Test func optionalValueCanBeSetToNil() {
        container.values.tracked = tracker.make()
        let child = container.makeChild()
        child.values.tracked = nil
        #expect(child.values.tracked == nil)
        #expect(container.values.tracked != nil)
    }

    @Test func valueNeedNotBeSendable() {
        #expect(container.values.box === container.values.box)
        container.values[BoxKey.self] = Box()
        container.values.box.number = 7
        #expect(container.values.box.number == 7)
    }

    @Test func wrapperCapturesItsContainerAndKeepsTheValue() {
        container.values.clock = Fixed(time: 1)
        let screen = DependencyContainer.$shared.withValue(container) { Screen() }
        container.values.clock = Fixed(time: 2)
        #expect(screen.read() == 2)
        container.values.clock = Fixed(time: 3)
        #expect(screen.read() == 2)
        screen.clock = Fixed(time: 9)
        #expect(screen.read() == 9)
        #expect(screen.other.time == -1)
        #expect(Dependency(\.clock, container: container).wrappedValue.time == 3)
        #expect(SendableScreen().name == "a name")
    }

    @Test func valuesAreOverriddenForATask() async {
        await DependencyContainer.$shared.withValue(container) {
            container.values.clock = Fixed(time: 1)
            container.values.otherClock = Fixed(time: 1)
            let result = withDependencies {
                $0.clock = Fixed(time: 2)
            } operation: {
                Screen().read() * 10 + Screen().other.time
            }
            #expect(result == 21)
            await withDependencies {
                $0.clock = Fixed(time: 3)
                $0.otherClock = Fixed(time: 4)
            } operation: {
                #expect(Screen().read() == 3)
                await Task.yield()
                #expect(Screen().other.time == 4)
                // Nested overrides, and the tasks that start inside them.
                let inner = await withDependencies {
                    $0.clock = Fixed(time: 5)
                } operation: {
                    await Task { Screen().read() * 10 + Screen().other.time }.value
                }
                #expect(inner == 54)
            }
            #expect(Screen().read() == 1)
        }
    }

    @Test func overriddenValuesBelongToAChildContainer() {
        DependencyContainer.$shared.withValue(container) {
            container.register("text", for: String.self)
            withDependencies { _ in
            } operation: {
                #expect(resolve(String.self) == "text")
                DependencyContainer.shared.register("inside", for: String.self)
                #expect(resolve(String.self) == "inside")
            }
            #expect(resolve(String.self) == "text")
        }
    }

    @Test func errorsAreRethrownAndEndTheOverride() async throws {
        struct Broken: Error {}
        #expect(throws: Broken.self) {
            try withDependencies { _ in
                throw Broken()
            } operation: {
                Issue.record("it ran")
            }
        }
        #expect(throws: Broken.self) {
            try withDependencies {
                $0.tracked = tracker.make()
            } operation: {
                throw Broken()
            }
        }
        await #expect(throws: Broken.self) {
            try await withDependencies {
                $0.tracked = tracker.make()
            } operation: {
                await Task.yield()
                throw Broken()
            }
        }
        await expectGone(tracker)
    }

    @Test @MainActor func asynchronousOperationStaysOnItsActor() async {
        var number = 0
        await withDependencies {
            $0.clock = Fixed(time: 1)
        } operation: {
            number += 1
            await Task.yield()
            MainActor.assertIsolated()
        }
        #expect(number == 1)
    }

    @Test func printingValuesTerminates() {
        container.values.clock = Fixed(time: 1)
        #expect(String(describing: container.values).contains("DependencyValues"))
        #expect("\(container.values)" == String(describing: container.values))
        #expect(!String(reflecting: container.values).isEmpty)
    }

    @Test func parallelTasksDoNotSeeEachOthersValues() async {
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<32 {
                group.addTask {
                    await withDependencies {
                        $0.clock = Fixed(time: number)
                    } operation: {
                        await Task.yield()
                        check(Screen().read() == number)
                    }
                }
            }
        }
    }

    @Test(arguments: threadCounts) func settingWhileOthersReadIsSafe(threads: Int) {
        container.values.tracked = tracker.make()
        runThreads(threads) { [container, tracker] index in
            for round in 0..<rounds(1_000) {
                if (index + round) % 8 == 0 {
                    container.values.tracked = tracker.make(round)
                } else {
                    check(container.values.tracked?.isIntact == true)
                }
            }
        }
        container.removeAll()
        expectGone(tracker)
    }

    #if compiler(>=6.2)
        @Test func settingInASealedContainerTraps() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let container = DependencyContainer()
                container.seal()
                container.values.clock = Fixed(time: 1)
            }
            let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
            #expect(text.contains("ClockKey"))
            let seal = #/sealed \(at HopoateTests/DependencyValuesTests.swift:[0-9]+\)/#
            #expect(text.contains(seal), "\(text)")
        }

        @Test func assigningTheValuesOfAnotherContainerTraps() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let container = DependencyContainer()
                container.values = DependencyContainer().values
            }
            let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
            #expect(text.contains("'Hopoate.DependencyValues'"))
            #expect(text.contains("Set the values one by one."))
        }
    #endif
}
