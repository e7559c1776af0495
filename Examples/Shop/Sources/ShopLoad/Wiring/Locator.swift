import Synchronization

/// What many services have in the place of a container: a dictionary from types to closures, under a lock.
final class Locator: Sendable {
    typealias Maker = @Sendable (Locator) -> any Sendable

    private struct Recipe {
        let make: Maker
        let isScoped: Bool
    }

    private struct Contents {
        var recipes: [ObjectIdentifier: Recipe] = [:]
        var instances: [ObjectIdentifier: any Sendable] = [:]
    }

    private let parent: Locator?
    private let contents = Mutex(Contents())

    init(parent: Locator? = nil) {
        self.parent = parent
    }

    func register<Service: Sendable>(_ instance: Service) {
        contents.withLock { $0.instances[ObjectIdentifier(Service.self)] = instance }
    }

    func register<Service: Sendable>(scoped: Bool, _ make: @escaping @Sendable (Locator) -> Service) {
        contents.withLock { $0.recipes[ObjectIdentifier(Service.self)] = Recipe(make: make, isScoped: scoped) }
    }

    func resolve<Service: Sendable>(_ type: Service.Type = Service.self) -> Service {
        let key = ObjectIdentifier(type)
        if let instance = instance(key) as? Service { return instance }
        guard let recipe = recipe(key), let instance = recipe.make(self) as? Service else {
            preconditionFailure("\(type) is not registered with the locator.")
        }
        if recipe.isScoped { register(instance) }
        return instance
    }

    private func instance(_ key: ObjectIdentifier) -> (any Sendable)? {
        contents.withLock { $0.instances[key] } ?? parent?.instance(key)
    }

    private func recipe(_ key: ObjectIdentifier) -> Recipe? {
        contents.withLock { $0.recipes[key] } ?? parent?.recipe(key)
    }
}
