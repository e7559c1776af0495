import Hopoate
import Testing

/// Services do not retain the container that creates them: dropping a request scope releases everything in it.
@Suite(.mayBlock) struct WrapperCycleTests {
    private final class Part: Sendable {
        let tracked: Tracked
        init(_ tracked: Tracked) { self.tracked = tracked }
    }

    // Unchecked, because a wrapped property is a variable. Sound, because the wrapper is thread-safe.
    private final class Cart: @unchecked Sendable {
        @Dependency var part: Part
        @OptionalDependency var optional: Part?
        @LazyDependency var lazy: Part
        @Dependency var transient: Inner
        let provider: DependencyProvider<Part>
        let tracked: Tracked

        init(_ tracked: Tracked, _ provider: DependencyProvider<Part>) {
            self.tracked = tracked
            self.provider = provider
        }

        func useAll() { _ = (part, optional, lazy, transient.part, provider()) }
    }

    // Unchecked and sound like Cart.
    private final class Inner: @unchecked Sendable {
        @Dependency var part: Part
    }

    let app = DependencyContainer()
    let tracker = Tracker()

    private func registerParts(_ lifetime: Lifetime) {
        app.register(Part.self, lifetime: .transient) { [tracker] _ in Part(tracker.make()) }
        app.register(Inner.self, lifetime: .transient) { _ in Inner() }
        app.register(Cart.self, lifetime: lifetime) { [tracker] container in
            Cart(tracker.make(), container.provider())
        }
    }

    @Test func scopedServiceWithWrappersIsReleasedWithItsChild() {
        registerParts(.scoped)
        for _ in 0..<100 {
            let request = app.makeChild()
            DependencyContainer.$shared.withValue(request) { resolve(Cart.self).useAll() }
        }
        #expect(tracker.made >= 100)
        expectGone(tracker)
    }

    @Test func directlyResolvedScopedServiceIsReleasedWithItsChild() {
        registerParts(.scoped)
        for _ in 0..<100 {
            let request = app.makeChild()
            withExtendedLifetime(request) { request.resolve(Cart.self).useAll() }
        }
        expectGone(tracker)
    }

    @Test func asynchronouslyCreatedServiceIsReleasedWithItsChild() async throws {
        registerParts(.transient)
        app.register(Cart.self, lifetime: .scoped) { [tracker] container async in
            Cart(tracker.make(), container.provider())
        }
        for _ in 0..<20 {
            let request = app.makeChild()
            try await request.asyncResolve(Cart.self).useAll()
            withExtendedLifetime(request) {}
        }
        #expect(await eventually { tracker.live == 0 })
    }

    @Test(arguments: [Lifetime.singleton, .eager, .weak, .cached(in: DependencyScope("scope"))])
    func serviceOfTheContainerIsReleasedWithIt(lifetime: Lifetime) {
        do {
            let container = DependencyContainer()
            container.register(Part.self, lifetime: .transient) { [tracker] _ in Part(tracker.make()) }
            container.register(Inner.self, lifetime: .transient) { _ in Inner() }
            DependencyContainer.$shared.withValue(container) {
                container.register(Cart.self, lifetime: lifetime) { [tracker] container in
                    Cart(tracker.make(), container.provider())
                }
                container.resolve(Cart.self).useAll()
            }
            withExtendedLifetime(container) {}
        }
        expectGone(tracker)
    }

    @Test func serviceOfTheUncheckedRegisterIsReleasedWithTheContainer() {
        let tracker = tracker
        do {
            let container = DependencyContainer()
            container.register(Part(tracker.make()), for: Part.self)
            DependencyContainer.$shared.withValue(container) {
                container.register(Inner.self, lifetime: .eager) { _ in Inner() }
                _ = container.resolve(Inner.self).part
                container.register(Inner(), for: Inner.self)
                _ = container.resolve(Inner.self).part
            }
            withExtendedLifetime(container) {}
        }
        expectGone(tracker)
    }

    @Test func wrapperOutsideACreationKeepsItsContainer() {
        let inner = {
            let container = DependencyContainer()
            container.register(Part(tracker.make()), for: Part.self)
            return DependencyContainer.$shared.withValue(container) { Inner() }
        }()
        #expect(inner.part.tracked.isIntact)
    }

    @Test func wrapperOfATransientServiceKeepsItsContainerForTheCaller() {
        let inner = {
            let container = DependencyContainer()
            container.register(Part(tracker.make()), for: Part.self)
            container.register(Inner.self, lifetime: .transient) { _ in Inner() }
            return DependencyContainer.$shared.withValue(container) { resolve(Inner.self) }
        }()
        #expect(inner.part.tracked.isIntact)
    }

    @Test func wrapperOfAServiceThatOutlivesItsContainerReportsIt() {
        let container = Locked<DependencyContainer?>(DependencyContainer())
        container.current?.register(Inner.self) { _ in Inner() }
        let inner = container.current?.resolve(Inner.self)
        _ = container.take()
        #expect(trap { _ = inner?.part }?.reason == .containerGone)
    }
}
