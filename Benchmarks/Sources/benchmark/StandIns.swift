import Synchronization

// What people use instead, written the way they write it, and measured in the same run.

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

/// A list that is searched by the name of the type: an array of registrars, each with an array of registrations, newest
/// last. Written anew from a description of how the published Hopoate 1.x works.
// Unchecked, because it is not safe; whoever measures it without a lock does so on one thread.
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

/// The same under a lock, which it does not have by itself, so that it can be measured on several threads.
final class LockedList: Sendable {
    private let list: SearchedList
    private let lock = Mutex(())

    init(_ list: SearchedList) { self.list = list }

    func resolve<Service: Sendable>(_ type: Service.Type) -> Service { lock.withLock { _ in list.resolve(type) } }
}
