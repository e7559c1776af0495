import Synchronization

// Common alternatives, measured in the same run.

/// A dictionary under a lock.
final class LockedDictionary: Sendable {
    private let services = Mutex<[ObjectIdentifier: any Sendable]>([:])

    func register<Service: Sendable>(_ service: Service, for type: Service.Type) {
        services.withLock { $0[ObjectIdentifier(type)] = service }
    }

    func resolve<Service: Sendable>(_ type: Service.Type) -> Service {
        guard let service = services.withLock({ $0[ObjectIdentifier(type)] }) as? Service else { fatalError("missing") }
        return service
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
