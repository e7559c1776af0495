import Synchronization

/// A common replacement for a container: a dictionary from types to closures, under a lock.
final class Locator: Sendable {
    typealias Make = @Sendable (Locator) -> any Sendable

    private struct Factory {
        let make: Make
        let isScoped: Bool
    }

    private struct Contents {
        var factories: [ObjectIdentifier: Factory] = [:]
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
        contents.withLock { $0.factories[ObjectIdentifier(Service.self)] = Factory(make: make, isScoped: scoped) }
    }

    func resolve<Service: Sendable>(_ type: Service.Type = Service.self) -> Service {
        let key = ObjectIdentifier(type)
        if let instance = instance(key) as? Service { return instance }
        guard let factory = factory(key), let instance = factory.make(self) as? Service else {
            preconditionFailure("\(type) is not registered with the locator.")
        }
        if factory.isScoped { register(instance) }
        return instance
    }

    private func instance(_ key: ObjectIdentifier) -> (any Sendable)? {
        contents.withLock { $0.instances[key] } ?? parent?.instance(key)
    }

    private func factory(_ key: ObjectIdentifier) -> Factory? {
        contents.withLock { $0.factories[key] } ?? parent?.factory(key)
    }
}
