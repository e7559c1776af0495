// Prints its observations, which `.ci/client` compares.
import Hopoate

protocol Greeter: AnyObject, Sendable {
    var name: String { get }
}

final class Polite: Greeter {
    let name = "polite"
}

final class Rude: Greeter {
    let name = "rude"
}

struct Checkout: Sendable {
    @Dependency(container: .shared) var number: Int
}

let first = DependencyContainer.shared.register(Polite(), for: (any Greeter).self)
print(resolve((any Greeter).self).name)
let second = DependencyContainer.shared.register((any Greeter).self, lifetime: .transient) { _ in Rude() }
print(withService((any Greeter).self) { $0.name })
DependencyContainer.shared.remove(second)
print(DependencyContainer.shared.resolve((any Greeter).self).name)
DependencyContainer.$shared.withValue(DependencyContainer()) {
    print(DependencyContainer.shared.canResolve((any Greeter).self))
    DependencyContainer.shared.register(7, for: Int.self)
    print(Checkout().number)
}
DependencyContainer.shared.remove(first)
print(optionalResolve((any Greeter).self)?.name ?? "none")
