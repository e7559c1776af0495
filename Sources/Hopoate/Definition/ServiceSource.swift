/// Where a registration takes its service from.
///
/// Immutable, so a registration is published as a whole, and a read section only has to copy it.
///
/// The layout is the same for all services, because the instance is not in it. So code that is not specialised reads it without
/// metadata.
@frozen
@usableFromInline
enum ServiceSource<Service: ~Copyable> {
    /// The instance of an `InstanceRegistration`, which was created before it and lives as long.
    case instance
    /// Hopoate's uncached form: the closure of a `ClosureRegistration` creates a new instance per `resolve` call.
    case closure
    /// The closure of a `TransientRegistration`, which takes the container, creates a new instance per `resolve` call.
    case transient
    /// One instance, created lazily by the factory, and the address at which it then stays until the registration ends.
    case singleton(InstancePointer)
    /// All other forms. The factory knows how to create an instance, and where instances are stored.
    case factory
}

extension ServiceSource {
    /// Makes the source of a factory, in the form with the fastest lookup.
    init<Arguments>(_ factory: ServiceFactory<Service, Arguments>) {
        if let pointer = factory.singletonPointer {
            self = .singleton(pointer)
        } else {
            self = .factory
        }
    }
}

extension ServiceRegistration {
    /// Makes the registration of a factory.
    static func of<Arguments>(
        _ factory: ServiceFactory<Service, Arguments>, _ definition: ServiceDefinition<Service, Arguments>,
        disposals: Disposals?
    ) -> ServiceRegistration {
        let (key, name, callSite) = (definition.key, definition.name, definition.callSite)
        if disposals == nil, let factory = factory as? ServiceFactory<Service, Void>, factory.isTransient {
            let create = factory.directClosure
            return TransientRegistration(
                key, definition.plain ?? { container in try create(container, ()) }, factory, name: name,
                callSite: callSite)
        }
        return ServiceRegistration(
            key, ServiceSource(factory), factory, name: name, callSite: callSite, disposals: disposals,
            keyedIndex: factory.keyedIndex)
    }

    /// Makes the registration of an instance that exists already.
    static func holding<Arguments>(
        _ instance: Service, of definition: ServiceDefinition<Service, Arguments>, disposals: Disposals?
    ) -> ServiceRegistration {
        let (key, name, callSite) = (definition.key, definition.name, definition.callSite)
        guard let observer = definition.observer else {
            return InstanceRegistration(key, holding: instance, name: name, callSite: callSite, disposals: disposals)
        }
        // Each resolve call tells the observer, so it goes through a factory.
        let observed = ServiceDefinition<Service, Void>(
            key: key, name: name, lifetime: .eager, callSite: callSite, closures: .synchronous { _, _ in instance },
            requirements: [], observer: observer)
        return .of(ServiceFactory(observed), observed, disposals: disposals)
    }

    /// Returns the factory; nil if there is none. The arguments must be of the types that the key names.
    @inline(__always)
    func factory<Arguments>(taking arguments: Arguments.Type) -> ServiceFactory<Service, Arguments>? {
        // All registrations of a key have factories with the same types: the key names the types of the arguments, and a key without
        // any is of `Void`.
        guard let factory else { return nil }
        // As above.
        return unsafeDowncast(factory, to: ServiceFactory<Service, Arguments>.self)
    }
}
