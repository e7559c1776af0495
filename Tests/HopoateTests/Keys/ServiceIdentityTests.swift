import Hopoate
import Testing

/// `resolve(T.self)` returns a T, even if another service was registered at the same address before.
@Suite struct ServiceIdentityTests {
    private final class First: Sendable {}
    private final class Second: Sendable { let number = 7 }
    private final class Outer: Sendable {}

    let container = DependencyContainer()

    @Test func graphDistinguishesRegistrationsAtAReusedAddress() {
        container.register(Outer.self, lifetime: .transient) { container in
            for _ in 0..<20 {
                // The first registration is freed, and the second one is likely to reuse its address.
                let token = container.register(First.self, lifetime: .graph) { _ in First() }
                let first: AnyObject = container.resolve(First.self)
                #expect(first is First)
                container.remove(token)
                let other = container.register(Second.self, lifetime: .graph) { _ in Second() }
                let second: AnyObject = container.resolve(Second.self)
                #expect(second is Second)
                container.remove(other)
            }
            return Outer()
        }
        _ = container.resolve(Outer.self)
    }

    @Test func childDistinguishesScopedRegistrationsAtAReusedAddress() {
        let child = container.makeChild()
        for _ in 0..<20 {
            let token = container.register(First.self, lifetime: .scoped) { _ in First() }
            let first: AnyObject = child.resolve(First.self)
            #expect(first is First)
            container.remove(token)
            let other = container.register(Second.self, lifetime: .scoped) { _ in Second() }
            let second: AnyObject = child.resolve(Second.self)
            #expect(second is Second)
            container.remove(other)
        }
    }

    @Test func scopeForgetsStoragesBeforeTheirAddressIsReused() {
        let scope = DependencyScope("scope")
        for number in 0..<20 {
            let token = container.register(Int.self, lifetime: .cached(in: scope)) { _ in number }
            #expect(container.resolve(Int.self) == number)
            container.remove(token)
            scope.reset()
        }
    }

    @Test func newNameDoesNotFindServicesOfAReleasedName() {
        for number in 0..<50 {
            let token = container.register(number, for: Int.self, named: DependencyName("name \(number)"))
            #expect(container.optionalResolve(Int.self, named: DependencyName("other \(number)")) == nil)
            #expect(container.resolve(Int.self, named: DependencyName("name \(number)")) == number)
            container.remove(token)
        }
    }
}
