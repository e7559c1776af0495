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
    /// Hopoate's uncached form: a closure without parameters creates a new instance per `resolve` call.
    case closure(() -> Service)
    /// A closure that takes the container creates a new instance per `resolve` call. It is that of the factory of the registration.
    case transient((DependencyContainer) throws -> Service)
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
        } else if let factory = factory as? ServiceFactory<Service, Void>, factory.isTransient {
            let create = factory.directClosure
            self = .transient(factory.plainClosure ?? { container in try create(container, ()) })
        } else {
            self = .factory
        }
    }
}

extension ServiceRegistration {
    /// Makes the registration of a factory.
    convenience init<Arguments>(
        _ key: ServiceKey<Service>, _ factory: ServiceFactory<Service, Arguments>, name: DependencyName?,
        callSite: CallSite?, disposals: Disposals? = nil
    ) {
        self.init(
            key, ServiceSource(factory), factory, name: name, callSite: callSite, disposals: disposals)
    }

    /// Makes the registration of an instance that exists already.
    static func holding(
        _ instance: Service, for key: ServiceKey<Service>, _ observer: (any DependencyObserver)?, name: DependencyName?,
        callSite: CallSite?, disposals: Disposals? = nil
    ) -> ServiceRegistration {
        guard let observer else {
            return InstanceRegistration(key, holding: instance, name: name, callSite: callSite, disposals: disposals)
        }
        let factory = ServiceFactory<Service, Void>(holding: instance, observer)
        return ServiceRegistration(key, factory, name: name, callSite: callSite, disposals: disposals)
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
        case .closure(let create):
            return makeInstance(key, resolution.frame, create)
        case .transient(let create):
            return try makeInstance(key, resolution, create)
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
