// Creating the instance of a registration that a lookup has found.

extension Lookup {
    /// Returns the instance for a resolve call, creating it if necessary, and ends the read section. The key must have a registration.
    ///
    /// The container is evaluated only if the factory may need it.
    @inline(__always)
    func resolve<Service>(
        _ key: ServiceKey<Service>, in container: @autoclosure () -> DependencyContainer,
        _ frame: FramePointer? = nil
    ) throws(DependencyError) -> Service {
        let registration = uncounted(as: ServiceRegistration<Service>.self)
        switch registration.with({ $0.source }) {
        case .instance:
            // Retained, because the section ends here.
            let registration = registration.object
            end()
            return registration.registeredInstance()
        case .singleton, .factory:
            guard let factory = registration.with({ $0.factory(taking: Void.self) }) else {
                preconditionFailure("the source is a factory")
            }
            end()
            return try factory.resolve(key, (), Resolution(container: container(), holder: owner, frame: frame))
        case .closure:
            // A registration with this source is of this class.
            let registration = uncounted(as: ClosureRegistration<Service>.self)
            guard let borrow = borrow() else {
                let closure = registration.with { CopiedClosure(create: $0.create) }
                end()
                return makeInstance(key, frame, closure.create)
            }
            defer { borrow.end() }
            return registration.with { makeInstance(key, frame, $0.create) }
        case .transient:
            let resolution = Resolution(container: container(), holder: owner, frame: frame)
            // As above.
            let registration = uncounted(as: TransientRegistration<Service>.self)
            guard let borrow = borrow() else {
                let closure = registration.with { CopiedTransient(create: $0.create) }
                end()
                return try makeInstance(key, resolution, closure.create)
            }
            defer { borrow.end() }
            return try registration.with { registration throws(DependencyError) in
                try makeInstance(key, resolution, registration.create)
            }
        }
    }

    /// The same as the other form, for a factory that takes arguments. They must be of the types that the key names.
    @inline(__always)
    func resolve<Service, Arguments>(
        _ key: ServiceKey<Service>, _ arguments: Arguments, in container: DependencyContainer,
        _ frame: FramePointer? = nil
    ) throws(DependencyError) -> Service {
        let registration = uncounted(as: ServiceRegistration<Service>.self)
        let resolution = Resolution(container: container, holder: owner, frame: frame)
        let closure = registration.with { DirectClosure($0.factory(taking: Arguments.self)) }
        if closure.isTransient {
            end()
            return try makeInstance(key, arguments, resolution, closure.create)
        }
        let factory = registration.with { $0.factory(taking: Arguments.self) }
        end()
        guard let factory else { preconditionFailure("only factories take arguments") }
        return try factory.resolve(key, arguments, resolution)
    }
}

/// The closure of a `ClosureRegistration`, which is retained instead of the registration: all threads would write one count, and most
/// closures hold nothing.
///
/// A structure, because a generic function that returns a closure itself converts it, which allocates.
private struct CopiedClosure<Service> {
    let create: () -> Service
}

/// The same for a `TransientRegistration`.
private struct CopiedTransient<Service> {
    let create: (DependencyContainer) throws -> Service
}

/// The direct closure of a factory. To create a transient service, only this has to be retained, not the factory.
///
/// A structure, because a generic function that returns a closure itself converts it, which allocates.
private struct DirectClosure<Service, Arguments> {
    let isTransient: Bool
    let create: (DependencyContainer, Arguments) throws -> Service

    @inline(__always)
    init(_ factory: ServiceFactory<Service, Arguments>?) {
        guard let factory else { preconditionFailure("only factories take arguments") }
        isTransient = factory.isTransient
        create = factory.directClosure
    }
}
