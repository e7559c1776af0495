extension DependencyContainer {
    /// Registers what a closure creates.
    ///
    /// ```swift
    /// container.register(service: (any Greeter).self) { Polite() }                       // created here, once
    /// container.register(service: (any Greeter).self, cacheService: false) { Polite() }  // created at each resolve
    /// ```
    ///
    /// A cached service is created before this returns and before it can be found, so its creator may resolve the
    /// registration that it is going to hide: a decorator.
    ///
    /// - Parameters:
    ///   - service: The type to register under.
    ///   - cacheService: Whether the closure runs once, inside this call, or at each resolve.
    ///   - fileID: Where it is registered; filled in by the compiler.
    ///   - line: Where it is registered; filled in by the compiler.
    ///   - creator: Makes the service. Runs outside every lock; released at once where the service is cached.
    /// - Returns: A token for ``remove(_:)``. The container does not need it.
    /// - Complexity: Constant, amortised, plus the closure.
    /// - Note: Concurrency. From any thread, also inside creators and closures of ``withService(_:named:fileID:line:_:)-1uwaq``. The
    ///   registration appears at once and whole. An uncached closure is called on whichever threads resolve.
    @inlinable
    @discardableResult
    public func register<Service>(
        service: Service.Type, cacheService: Bool = true, fileID: StaticString = #fileID, line: UInt = #line,
        creator: @escaping () -> Service
    ) -> ServiceRegistration<Service> {
        add(cached: cacheService, creator, CallSite(fileID, line))
    }

    /// Registers what a closure creates. The form for protocol conformances and function references, where there is no place
    /// to name.
    ///
    /// - Parameters:
    ///   - service: The type to register under.
    ///   - cacheService: Whether the closure runs once, inside this call, or at each resolve.
    ///   - creator: Makes the service.
    /// - Returns: A token for ``remove(_:)``.
    /// - Complexity: As ``register(service:cacheService:fileID:line:creator:)``.
    /// - Note: Concurrency. As ``register(service:cacheService:fileID:line:creator:)``.
    @inlinable
    @_disfavoredOverload
    @discardableResult
    public func register<Service>(
        service: Service.Type, cacheService: Bool = true, creator: @escaping () -> Service
    ) -> ServiceRegistration<Service> {
        add(cached: cacheService, creator, nil)
    }

    /// Registers an instance.
    ///
    /// ```swift
    /// container.register(Polite(), for: (any Greeter).self)
    /// ```
    ///
    /// - Parameters:
    ///   - instance: The service. Evaluated once, before the registration can be found.
    ///   - service: The type to register under.
    ///   - fileID: Where it is registered; filled in by the compiler.
    ///   - line: Where it is registered; filled in by the compiler.
    /// - Returns: A token for ``remove(_:)``. The container does not need it.
    /// - Complexity: Constant, amortised.
    /// - Note: Concurrency. From any thread. The registration appears at once and whole.
    @inlinable
    @inline(__always)  // So that the context of the autoclosure needs no allocation.
    @discardableResult
    public func register<Service>(
        _ instance: @autoclosure @escaping () -> Service, for service: Service.Type, fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> ServiceRegistration<Service> {
        add(makeEagerly(ServiceKey(), instance), CallSite(fileID, line))
    }

    /// Registers an instance. The form for protocol conformances and function references, where there is no place to name.
    ///
    /// - Parameters:
    ///   - instance: The service. Evaluated once, before the registration can be found.
    ///   - service: The type to register under.
    /// - Returns: A token for ``remove(_:)``.
    /// - Complexity: As ``register(_:for:fileID:line:)``.
    /// - Note: Concurrency. As ``register(_:for:fileID:line:)``.
    @inlinable
    @_disfavoredOverload
    @discardableResult
    public func register<Service>(
        _ instance: @autoclosure @escaping () -> Service, for service: Service.Type
    ) -> ServiceRegistration<Service> {
        add(makeEagerly(ServiceKey(), instance), nil)
    }

    /// Registers what a closure creates in the place of all registrations of the type.
    ///
    /// ```swift
    /// container.overwriteExistingRegistrations(service: (any Greeter).self) { Polite() }
    /// ```
    ///
    /// The replaced registrations are gone: their tokens are dead, and removing the new one leaves nothing. A cached creator
    /// runs before the exchange and may still resolve what it replaces.
    ///
    /// - Parameters:
    ///   - service: The type to register under.
    ///   - cacheService: Whether the closure runs once, inside this call, or at each resolve.
    ///   - fileID: Where it is registered; filled in by the compiler.
    ///   - line: Where it is registered; filled in by the compiler.
    ///   - creator: Makes the service. Runs outside every lock.
    /// - Returns: A token for ``remove(_:)``. The container does not need it.
    /// - Complexity: Linear in the number of registrations of the type, plus the closure.
    /// - Note: Concurrency. From any thread. One exchange: every resolve finds an old registration or the new one. Replaced
    ///   services are released on the calling thread before this returns, as by ``remove(_:)``.
    @inlinable
    @discardableResult
    public func overwriteExistingRegistrations<Service>(
        service: Service.Type, cacheService: Bool = true, fileID: StaticString = #fileID, line: UInt = #line,
        creator: @escaping () -> Service
    ) -> ServiceRegistration<Service> {
        add(cached: cacheService, creator, CallSite(fileID, line), replacing: true)
    }

    /// Registers what a closure creates in the place of all registrations of the type. The form for protocol conformances and
    /// function references, where there is no place to name.
    ///
    /// - Parameters:
    ///   - service: The type to register under.
    ///   - cacheService: Whether the closure runs once, inside this call, or at each resolve.
    ///   - creator: Makes the service.
    /// - Returns: A token for ``remove(_:)``.
    /// - Complexity: As ``overwriteExistingRegistrations(service:cacheService:fileID:line:creator:)``.
    /// - Note: Concurrency. As ``overwriteExistingRegistrations(service:cacheService:fileID:line:creator:)``.
    @inlinable
    @_disfavoredOverload
    @discardableResult
    public func overwriteExistingRegistrations<Service>(
        service: Service.Type, cacheService: Bool = true, creator: @escaping () -> Service
    ) -> ServiceRegistration<Service> {
        add(cached: cacheService, creator, nil, replacing: true)
    }

    /// Registers an instance in the place of all registrations of the type.
    ///
    /// ```swift
    /// container.overwriteExistingRegistrations(withService: Polite(), for: (any Greeter).self)
    /// ```
    ///
    /// - Parameters:
    ///   - instance: The service. Evaluated once, before the exchange.
    ///   - service: The type to register under.
    ///   - fileID: Where it is registered; filled in by the compiler.
    ///   - line: Where it is registered; filled in by the compiler.
    /// - Returns: A token for ``remove(_:)``. The container does not need it.
    /// - Complexity: Linear in the number of registrations of the type.
    /// - Note: Concurrency. As ``overwriteExistingRegistrations(service:cacheService:fileID:line:creator:)``.
    @inlinable
    @inline(__always)  // So that the context of the autoclosure needs no allocation.
    @discardableResult
    public func overwriteExistingRegistrations<Service>(
        withService instance: @autoclosure @escaping () -> Service, for service: Service.Type,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> ServiceRegistration<Service> {
        add(makeEagerly(ServiceKey(), instance), CallSite(fileID, line), replacing: true)
    }

    /// Registers an instance in the place of all registrations of the type. The form for protocol conformances and function
    /// references, where there is no place to name.
    ///
    /// - Parameters:
    ///   - instance: The service. Evaluated once, before the exchange.
    ///   - service: The type to register under.
    /// - Returns: A token for ``remove(_:)``.
    /// - Complexity: Linear in the number of registrations of the type.
    /// - Note: Concurrency. As ``overwriteExistingRegistrations(withService:for:fileID:line:)``.
    @inlinable
    @_disfavoredOverload
    @discardableResult
    public func overwriteExistingRegistrations<Service>(
        withService instance: @autoclosure @escaping () -> Service, for service: Service.Type
    ) -> ServiceRegistration<Service> {
        add(makeEagerly(ServiceKey(), instance), nil, replacing: true)
    }
}
