import Hopoate
import Testing

private protocol Numbered: Sendable { var number: Int { get } }
private struct Fixed: Numbered { var number: Int }

// A compile-time check.
private func requireSendable<T: Sendable>(_: T.Type) {}
private struct SendableScreen: Sendable {
    @Dependency var numbered: any Numbered
    @OptionalDependency var text: String?
}
private final class SendableService: Sendable {
    // The attribute makes a `var`, which the compiler does not allow in a Sendable class. The type itself works as a `let`.
    private let numbered = Dependency<any Numbered>()
    var number: Int { numbered.wrappedValue.number }
    func replace(by number: Int) { numbered.wrappedValue = Fixed(number: number) }
}
private actor Worker {
    @Dependency private var numbered: any Numbered
    @OptionalDependency private var text: String?
    var number: Int { numbered.number }
    func replace(by number: Int) -> String? {
        numbered = Fixed(number: number)
        text = "\(number)"
        return text
    }
}
/// A service that is not Sendable, in an owner that is not Sendable.
private final class Plain { var number = 0 }
private class Controller {
    @Dependency var plain: Plain
    @OptionalDependency var other: Controller?
}
private struct Screen {
    @Dependency var numbered: any Numbered
    @OptionalDependency var text: String?
    func read() -> Int { numbered.number }
}

/// The property wrappers.
@Suite(.mayBlock) struct DependencyWrappersTests {
    let container = DependencyContainer()
    let tracker = Tracker()

    private func bound<Output>(_ body: () throws -> Output) rethrows -> Output {
        try DependencyContainer.$shared.withValue(container, operation: body)
    }

    @Test func containerIsCapturedWhereTheWrapperIsInitialized() {
        container.register(Fixed(number: 1), for: (any Numbered).self)
        container.register("text", for: String.self)
        let screen = bound { Screen() }
        // Outside the binding, and inside another one.
        #expect(screen.numbered.number == 1)
        DependencyContainer.$shared.withValue(DependencyContainer()) { #expect(screen.text == "text") }
    }

    @Test func serviceIsResolvedAtTheFirstAccessAndCached() {
        let screen = bound { Screen() }
        container.register(Fixed(number: 1), for: (any Numbered).self)
        let token = container.register(Fixed(number: 2), for: (any Numbered).self)
        #expect(screen.numbered.number == 2)
        container.remove(token)
        #expect(screen.numbered.number == 2)
        container.removeAll()
        #expect(screen.numbered.number == 2)
        container.register(Fixed(number: 3), for: (any Numbered).self)
        #expect(screen.numbered.number == 2)
    }

    @Test func uncachedServiceIsCreatedOncePerWrapper() {
        container.register(Tracked.self, lifetime: .transient) { [tracker] _ in tracker.make() }
        let first = Dependency<Tracked>(container: container)
        let second = Dependency<Tracked>(container: container)
        #expect(tracker.made == 0)
        #expect(first.wrappedValue === first.wrappedValue)
        #expect(second.wrappedValue !== first.wrappedValue)
        #expect(tracker.made == 2)
    }

    @Test func wrapperThatIsNotAccessedResolvesNothing() {
        _ = bound { Screen() }
        _ = bound { Controller() }
        container.register(Tracked.self, lifetime: .transient) { [tracker] _ in tracker.make() }
        _ = Dependency<Tracked>(container: container)
        #expect(tracker.made == 0)
    }

    @Test func optionalWrapperRetriesUntilTheServiceIsFound() {
        let screen = bound { Screen() }
        #expect(screen.text == nil)
        #expect(screen.text == nil)
        let token = container.register("found", for: String.self)
        #expect(screen.text == "found")
        container.remove(token)
        #expect(screen.text == "found")
    }

    @Test func assignedValueStays() {
        let screen = bound { Screen() }
        screen.numbered = Fixed(number: 9)
        container.register(Fixed(number: 1), for: (any Numbered).self)
        #expect(screen.numbered.number == 9)
        for number in 10..<20 {
            screen.numbered = Fixed(number: number)
            #expect(screen.numbered.number == number)
        }
    }

    @Test func assignedNilStays() {
        container.register("found", for: String.self)
        let screen = bound { Screen() }
        screen.text = nil
        #expect(screen.text == nil)
        screen.text = "assigned"
        #expect(screen.text == "assigned")
        screen.text = nil
        #expect(screen.text == nil)
    }

    @Test func replacedAndLastValuesAreReleased() {
        var wrapper: Dependency<Tracked>? = Dependency(container: container)
        for number in 0..<10 { wrapper?.wrappedValue = tracker.make(number) }
        #expect(tracker.live == 1)
        #expect(wrapper?.wrappedValue.number == 9)
        wrapper = nil
        #expect(tracker.live == 0)
        var optional: OptionalDependency<Tracked>? = OptionalDependency(container: container)
        optional?.wrappedValue = tracker.make()
        optional?.wrappedValue = nil
        #expect(tracker.live == 0)
        optional?.wrappedValue = tracker.make()
        optional = nil
        #expect(tracker.live == 0)
    }

    @Test func wrapperKeepsItsContainer() {
        weak var weakContainer: DependencyContainer?
        var wrapper: Dependency<Tracked>?
        do {
            let container = DependencyContainer()
            container.register(tracker.make(4), for: Tracked.self)
            weakContainer = container
            wrapper = Dependency(container: container)
        }
        #expect(weakContainer != nil)
        #expect(wrapper?.wrappedValue.number == 4)
        wrapper = nil
        #expect(weakContainer == nil)
        expectGone(tracker)
    }

    @Test func deinitOfAReplacedServiceMayUseTheWrapper() {
        let wrapper = Dependency<Tracked>(container: container)
        let seen = Locked<[Int]>([])
        wrapper.wrappedValue = tracker.make(1) {
            let now = wrapper.wrappedValue.number
            seen.withLock { $0.append(now) }
            wrapper.wrappedValue = tracker.make(3)
        }
        wrapper.wrappedValue = tracker.make(2)
        #expect(seen.current == [2])
        #expect(wrapper.wrappedValue.number == 3)
    }

    @Test func factoryMayUseTheWrapperThatResolvesIt() {
        let wrapper = OptionalDependency<Tracked>(container: container)
        container.register(Tracked.self, lifetime: .transient) { _ in
            wrapper.wrappedValue = tracker.make(1)
            return tracker.make(2)
        }
        // The assigned value wins, and the instance from the factory is released.
        #expect(wrapper.wrappedValue?.number == 1)
        #expect(tracker.live == 1)
        container.removeAll()
    }

    @Test func wrapperWorksInALetStructure() {
        container.register(Fixed(number: 1), for: (any Numbered).self)
        let screen = bound { Screen() }
        #expect(screen.read() == 1)
        screen.numbered = Fixed(number: 2)
        #expect(screen.read() == 2)
    }

    @Test func copiesOfAStructureShareTheWrapper() {
        let screen = bound { Screen() }
        let copy = screen
        copy.numbered = Fixed(number: 5)
        #expect(screen.numbered.number == 5)
    }

    @Test func wrapperWorksInAClassThatIsNotSendable() {
        let plain = Plain()
        container.register(unchecked: Plain.self, lifetime: .eager) { _ in plain }
        let controller = bound { Controller() }
        controller.plain.number = 3
        #expect(controller.plain === plain)
        #expect(plain.number == 3)
        #expect(controller.other == nil)
    }

    @Test func wrapperWorksInSendableTypes() {
        requireSendable(SendableScreen.self)
        requireSendable(SendableService.self)
        requireSendable(Dependency<any Numbered>.self)
        requireSendable(OptionalDependency<String>.self)
        container.register(Fixed(number: 1), for: (any Numbered).self)
        let screen = bound { SendableScreen() }
        let service = bound { SendableService() }
        runThreads(4) { index in
            #expect(screen.numbered.number == 1)
            #expect(screen.text == nil)
            #expect([1, 20, 21, 22, 23].contains(service.number))
            service.replace(by: 20 + index)
            #expect(service.number >= 20)
        }
    }

    @Test func wrapperWorksInAnActor() async {
        container.register(Fixed(number: 1), for: (any Numbered).self)
        let worker = bound { Worker() }
        #expect(await worker.number == 1)
        #expect(await worker.replace(by: 2) == "2")
        #expect(await worker.number == 2)
    }

    @Test func wrapperFindsServicesOfAParent() {
        let child = container.makeChild()
        container.register(Fixed(number: 1), for: (any Numbered).self)
        #expect(Dependency<any Numbered>(container: child).wrappedValue.number == 1)
        #expect(OptionalDependency<any Numbered>(container: child).wrappedValue?.number == 1)
        #expect(OptionalDependency<String>(container: child).wrappedValue == nil)
    }
}
