/// Where a registration takes its service from.
///
/// Immutable, so a registration is published as a whole, and a read section only has to copy it.
@frozen
@usableFromInline
enum ServiceSource<Service: ~Copyable>: ~Copyable {
    /// An instance that was created before its registration. It lives as long as the registration.
    case instance(Service)
    /// Hopoate's uncached form: a closure without parameters creates a new instance per `resolve` call.
    case closure(() -> Service)
    /// A closure that takes the container creates a new instance per `resolve` call. The factory is that of the closure.
    case transient((DependencyContainer) throws -> Service, AnyServiceFactory)
    /// One instance, created lazily by the factory, and the address at which it then stays until the registration ends.
    case singleton(AnyServiceFactory, InstancePointer)
    /// All other forms. The factory knows how to create an instance, and where instances are stored.
    case factory(AnyServiceFactory)
}

extension ServiceSource: Copyable where Service: Copyable {}

extension ServiceSource where Service: ~Copyable {
    /// Passes the instance to a closure without copying it, if it was registered as one. Otherwise returns nil.
    @inlinable
    @inline(__always)
    borrowing func withInstance<Output, Failure: Error>(
        _ body: (borrowing Service) throws(Failure) -> Output
    ) throws(Failure) -> Output? {
        switch self {
        case .instance(let instance): try body(instance)
        default: nil
        }
    }
}

extension ServiceSource {
    /// The instance, if it was registered as one.
    @inlinable
    @inline(__always)
    var registeredInstance: Service? {
        if case .instance(let instance) = self { instance } else { nil }
    }

    /// The closure that creates an instance, if it has no parameters.
    @inlinable
    @inline(__always)
    var closure: (() -> Service)? {
        if case .closure(let closure) = self { closure } else { nil }
    }

    /// The closure that creates an instance per `resolve` call, if it takes only the container.
    @inlinable
    @inline(__always)
    var transientClosure: ((DependencyContainer) throws -> Service)? {
        if case .transient(let closure, _) = self { closure } else { nil }
    }

    /// The address of a singleton; nil before it exists. Valid until the registration ends.
    @inlinable
    @inline(__always)
    var singleton: UnsafePointer<Service>? {
        if case .singleton(_, let pointer) = self { pointer.load(as: Service.self) } else { nil }
    }

    /// Returns the closure that creates an instance per `resolve` call from arguments; nil if the source has another form.
    @inlinable
    @inline(__always)
    func transientClosure<Arguments>(
        taking arguments: Arguments.Type
    ) -> ((DependencyContainer, Arguments) throws -> Service)? {
        if case .factory(let factory) = self {
            // Proof as in `factory(taking:)`.
            unsafeDowncast(factory, to: ServiceFactory<Service, Arguments>.self).transientClosure
        } else {
            nil
        }
    }

    /// Returns the factory; nil if the source has none. The arguments must be of the types that the key names.
    @inlinable
    @inline(__always)
    func factory<Arguments>(taking arguments: Arguments.Type) -> ServiceFactory<Service, Arguments>? {
        switch self {
        // All registrations of a key have factories with the same types: the key names the types of the arguments, and a key
        // without any is of `Void`.
        case .singleton(let factory, _): unsafeDowncast(factory, to: ServiceFactory<Service, Arguments>.self)
        // As above.
        case .factory(let factory): unsafeDowncast(factory, to: ServiceFactory<Service, Arguments>.self)
        // As above.
        case .transient(_, let factory): unsafeDowncast(factory, to: ServiceFactory<Service, Arguments>.self)
        case .instance, .closure: nil
        }
    }
}

extension ServiceSource {
    /// Makes the source of a factory, in the form with the fastest lookup.
    init<Arguments>(_ factory: ServiceFactory<Service, Arguments>) {
        if let pointer = factory.singletonPointer {
            self = .singleton(factory, pointer)
        } else if let factory = factory as? ServiceFactory<Service, Void>, let create = factory.transientClosure {
            self = .transient(factory.plainClosure ?? { container in try create(container, ()) }, factory)
        } else {
            self = .factory(factory)
        }
    }

    /// Makes the source of an instance that exists already.
    init(holding instance: Service, _ observer: (any DependencyObserver)?) {
        if let observer {
            self = .factory(ServiceFactory<Service, Void>(holding: instance, observer))
        } else {
            self = .instance(instance)
        }
    }
}

extension ServiceRegistration {
    /// Returns the instance for a resolve call, creating it if necessary. Runs user code, so never call it inside a read section.
    @inlinable
    @inline(__always)
    func instance(
        _ key: ServiceKey<Service>, _ resolution: @autoclosure () -> Resolution
    ) throws(DependencyError) -> Service {
        switch source {
        case .instance(let instance):
            return instance
        case .closure(let create):
            return withFrame(key) { create() }
        case .transient, .singleton, .factory:
            guard let factory = source.factory(taking: Void.self) else { preconditionFailure("just seen") }
            return try factory.instance(key, (), resolution())
        }
    }

    /// The same as `instance`, but traps on an error.
    @inlinable
    @inline(__always)
    func instanceOrTrap(_ key: ServiceKey<Service>, _ resolution: @autoclosure () -> Resolution) -> Service {
        do throws(DependencyError) { return try instance(key, resolution()) } catch {
            fail(error, in: resolution().container)
        }
    }
}
