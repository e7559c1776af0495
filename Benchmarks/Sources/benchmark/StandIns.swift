import Synchronization

// Common alternatives, measured in the same run.

/// A dictionary under a lock.
final class LockedDictionary: Sendable {
    private let services = Mutex<[ObjectIdentifier: any Sendable]>([:])

    func register<Service: Sendable>(_ service: Service, for type: Service.Type) {
        services.withLock { $0[ObjectIdentifier(type)] = service }
    }

    func resolve<Service: Sendable>(_ type: Service.Type) -> Service {
        guard let service = find(type) else { fatalError("missing") }
        return service
    }

    func find<Service: Sendable>(_ type: Service.Type) -> Service? {
        services.withLock { $0[ObjectIdentifier(type)] } as? Service
    }
}

/// A request scope as a dictionary under a lock. It finds its own instances and those of the application, and otherwise creates one, by a
/// factory of the application.
final class DictionaryScope: Sendable {
    private let application: LockedDictionary
    private let instances = LockedDictionary()

    init(_ application: LockedDictionary) { self.application = application }

    func register<Service: Sendable>(_ service: Service, for type: Service.Type) {
        instances.register(service, for: type)
    }

    func resolve<Service: Sendable>(_ type: Service.Type) -> Service {
        if let instance = instances.find(type) ?? application.find(type) { return instance }
        let instance = create(type)
        instances.register(instance, for: type)
        return instance
    }

    func create<Service: Sendable>(_ type: Service.Type) -> Service {
        application.resolve((@Sendable (DictionaryScope) -> Service).self)(self)
    }
}

/// An instance per value, in a dictionary under a lock.
final class KeyedDictionary<Service: Sendable>: Sendable {
    private let instances = Mutex<[Int: Service]>([:])
    private let make: @Sendable (Int) -> Service

    init(_ make: @escaping @Sendable (Int) -> Service) { self.make = make }

    func resolve(_ value: Int) -> Service {
        instances.withLock { instances in
            if let instance = instances[value] { return instance }
            let instance = make(value)
            instances[value] = instance
            return instance
        }
    }
}

/// A linear search by type name: an array of registrars, each with an array of registrations, newest last. Reimplemented from a
/// description of Hopoate 1.x.
// Unchecked and not thread-safe. Measurements without a lock use one thread.
final class SearchedList: @unchecked Sendable {
    private final class Registrar {
        let name: String
        var registrations: [AnyObject] = []

        init(_ name: String) { self.name = name }
    }

    private final class Registration<Service> {
        let service: Service

        init(_ service: Service) { self.service = service }
    }

    private var registrars: [Registrar] = []

    func register<Service>(_ service: Service, for type: Service.Type) {
        registrar(for: String(describing: type)).registrations.append(Registration(service))
    }

    func resolve<Service>(_ type: Service.Type) -> Service {
        guard let registration = registrar(for: String(describing: type)).registrations.last as? Registration<Service>
        else { fatalError("missing") }
        return registration.service
    }

    private func registrar(for name: String) -> Registrar {
        if let registrar = registrars.first(where: { $0.name == name }) { return registrar }
        let registrar = Registrar(name)
        registrars.append(registrar)
        return registrar
    }
}

/// The same under a lock, so that it can be measured on several threads.
final class LockedList: Sendable {
    private let list: SearchedList
    private let lock = Mutex(())

    init(_ list: SearchedList) { self.list = list }

    func resolve<Service: Sendable>(_ type: Service.Type) -> Service { lock.withLock { _ in list.resolve(type) } }
}
