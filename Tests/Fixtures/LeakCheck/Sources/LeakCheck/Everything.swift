import Hopoate

protocol Greeter: Sendable { var greeting: String { get } }

/// Owns a second heap block, so that a leaked instance is two leaks.
final class Polite: Greeter, Sendable {
    let words = ["Good", "day"]
    var greeting: String { words.joined(separator: " ") }
}

struct Rude: Greeter { let greeting = "What?" }

final class Desk: Sendable {
    let number: Int
    init(_ number: Int) { self.number = number }
}

struct Hall {
    @Dependency var desk: Desk
    @OptionalDependency var visitor: Desk?
    @DynamicDependency var current: Desk

    init(_ container: DependencyContainer) {
        _desk = Dependency(container: container)
        _visitor = OptionalDependency(container: container)
        _current = DynamicDependency(container: container)
    }
}

/// Calls every function of the library on a container that other threads use, too.
func useEverything(_ container: DependencyContainer, rounds: Int) {
    for round in 0..<rounds {
        let polite = container.register(Polite(), for: (any Greeter).self)
        let transient = container.register((any Greeter).self, lifetime: .transient) { _ in Rude() }
        container.register(Desk(round), for: Desk.self)
        precondition(!container.resolve((any Greeter).self).greeting.isEmpty)
        precondition(container.withService((any Greeter).self) { $0.greeting.count } > 0)
        container.withOptionalService(Desk.self) { desk in
            // Removed during a borrow, so its release is deferred.
            container.remove(polite)
            container.register(Desk(desk.number + 1), for: Desk.self)
        }
        _ = container.resolveAll((any Greeter).self).count
        precondition(container.canResolve(Desk.self))
        precondition(container.optionalResolve(Int.self) == nil)

        let hall = Hall(container)
        hall.desk = Desk(hall.desk.number + 1)
        hall.visitor = hall.visitor == nil ? Desk(1) : nil
        precondition(hall.current.number >= 0)

        let child = container.makeChild()
        child.register(Desk(2), for: Desk.self)
        DependencyContainer.$shared.withValue(child) {
            precondition(resolve(Desk.self).number == 2)
            precondition(!withService((any Greeter).self) { $0.greeting }.isEmpty)
        }
        container.register(Desk(3), for: Desk.self, replacing: true)
        container.remove(transient)
        container.register(Rude(), for: (any Greeter).self)
        if round % 10 == 9, container !== DependencyContainer.shared {
            // Other threads register before they resolve, so they may find one container less, but not one service less.
            let own = DependencyContainer()
            own.register(Polite(), for: (any Greeter).self)
            own.removeAll()
        }
    }
}
