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
    /// The address of a singleton; nil before it exists. Valid until the registration ends.
    @inlinable
    @inline(__always)
    var singleton: UnsafePointer<Service>? {
        if case .singleton(let pointer) = self { pointer.load(as: Service.self) } else { nil }
    }

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
            key, ServiceSource(factory), factory, name: name, callSite: callSite, disposals: disposals)
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

    /// Returns the instance for a resolve call, creating it if necessary. Runs user code, so never call it inside a read section.
    func instance(_ key: ServiceKey<Service>, _ resolution: Resolution) throws(DependencyError) -> Service {
        switch source {
        case .instance:
            return registeredInstance()
        case .closure:
            // A registration with this source is of this class.
            return makeInstance(
                key, resolution.frame, uncheckedCast(self, to: ClosureRegistration<Service>.self).create)
        case .transient:
            // As above.
            return try makeInstance(
                key, resolution, uncheckedCast(self, to: TransientRegistration<Service>.self).create)
        case .singleton, .factory:
            guard let factory = factory(taking: Void.self) else { preconditionFailure("the source is a factory") }
            return try factory.instance(key, (), resolution)
        }
    }

    /// The instance that was registered. Out of line: code that is not specialised computes the layout of an optional for it.
    @inline(never)
    func registeredInstance() -> Service {
        guard let holder else { preconditionFailure("the source is an instance") }
        return holder.instance
    }

    /// The same as `instance`, but traps on an error.
    @usableFromInline
    @inline(never)
    func instanceOrTrap(_ key: ServiceKey<Service>, _ resolution: Resolution) -> Service {
        do throws(DependencyError) { return try instance(key, resolution) } catch {
            fail(error, in: resolution.container)
        }
    }
}
