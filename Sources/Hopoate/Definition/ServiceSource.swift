/// Where a registration takes its service from.
///
/// Immutable, so that a registration is published whole, and a read section has to do no more than copy it.
@frozen
@usableFromInline
enum ServiceSource<Service: ~Copyable>: ~Copyable {
    /// An instance that was created before it was registered. It lives as long as the registration does.
    case instance(Service)
    /// Hopoate's uncached form: a new instance per `resolve` call, from a closure that takes nothing.
    case closure(() -> Service)
    /// A new instance per `resolve` call, from a closure that takes the container; and the factory that the closure is of.
    case transient((DependencyContainer) throws -> Service, AnyServiceFactory)
    /// One instance, created on first use; and where it then stays until the registration ends.
    case singleton(AnyServiceFactory, InstancePointer)
    /// Everything else: the factory knows how to create an instance, and where instances are kept.
    case factory(AnyServiceFactory)
}

extension ServiceSource: Copyable where Service: Copyable {}

extension ServiceSource where Service: ~Copyable {
    /// Passes the instance to a closure without copying it, if it stays until the registration ends.
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

    /// The closure that creates an instance, if it takes nothing.
    @inlinable
    @inline(__always)
    var closure: (() -> Service)? {
        if case .closure(let closure) = self { closure } else { nil }
    }

    /// The closure that creates an instance per `resolve` call, if it takes the container.
    @inlinable
    @inline(__always)
    var transientClosure: ((DependencyContainer) throws -> Service)? {
        if case .transient(let closure, _) = self { closure } else { nil }
    }

    /// The instance of a singleton; nil before it exists. The pointer is valid until the registration ends.
    @inlinable
    @inline(__always)
    var singleton: UnsafePointer<Service>? {
        if case .singleton(_, let pointer) = self { pointer.load(as: Service.self) } else { nil }
    }

    /// The closure that creates an instance per `resolve` call, if it takes arguments of these types.
    @inlinable
    @inline(__always)
    func transientClosure<Arguments>(
        taking arguments: Arguments.Type
    ) -> ((DependencyContainer, Arguments) throws -> Service)? {
        if case .factory(let factory) = self {
            // As in `factory(taking:)`.
            unsafeDowncast(factory, to: ServiceFactory<Service, Arguments>.self).transientClosure
        } else {
            nil
        }
    }

    /// The factory, if it takes arguments of these types.
    @inlinable
    @inline(__always)
    func factory<Arguments>(taking arguments: Arguments.Type) -> ServiceFactory<Service, Arguments>? {
        switch self {
        // The key names the types of the arguments, so everything under it takes these; a key without them is of `Void`.
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
    /// The source of a factory, in the form that is found fastest.
    init<Arguments>(_ factory: ServiceFactory<Service, Arguments>) {
        if let pointer = factory.singletonPointer {
            self = .singleton(factory, pointer)
        } else if let factory = factory as? ServiceFactory<Service, Void>, let create = factory.transientClosure {
            self = .transient({ container in try create(container, ()) }, factory)
        } else {
            self = .factory(factory)
        }
    }

    /// The source of an instance that exists.
    init(holding instance: Service, _ observer: (any DependencyObserver)?) {
        if let observer {
            self = .factory(ServiceFactory<Service, Void>(holding: instance, observer))
        } else {
            self = .instance(instance)
        }
    }
}

extension ServiceRegistration {
    /// The instance for a resolve call, created if necessary. Runs user code, so it is never called inside a read section.
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

    /// As `instance`, but traps on an error.
    @inlinable
    @inline(__always)
    func instanceOrTrap(_ key: ServiceKey<Service>, _ resolution: @autoclosure () -> Resolution) -> Service {
        do throws(DependencyError) { return try instance(key, resolution()) } catch { fail(error) }
    }
}
