extension DependencyContainer {
    /// Registers a closure that creates a service.
    ///
    /// ```swift
    /// container.register(service: (any Greeter).self) { Polite() }                       // runs now and once
    /// container.register(service: (any Greeter).self, cacheService: false) { Polite() }  // runs once per resolve call
    /// ```
    ///
    /// A cached service is created before its registration is visible. So the closure can resolve the registration that it is about to
    /// shadow, and decorate it.
    ///
    /// **The compiler does not check sendability here**: neither the service nor the closure need be `Sendable`. A service that several
    /// threads resolve must be thread-safe. A closure that is not cached runs on every thread that resolves.
    ///
    /// Traps if the container is sealed or shut down.
    ///
    /// - Parameters:
    ///   - service: The type to register under.
    ///   - cacheService: Whether the closure runs once, inside this call, or once per resolve call.
    ///   - creator: Creates the service. No lock is held while it runs. A cached service's closure is released afterwards.
    /// - Returns: A token for ``remove(_:)``. You need not keep it.
    /// - Complexity: Amortised constant. A cached service's closure runs inside the call.
    @available(
        swift, deprecated: 6,
        message: """
            The compiler does not check sendability here. Use 'register(T.self, lifetime: .eager) { _ in … }', or '.transient' \
            for 'cacheService: false'. If the service is not Sendable, use 'register(unchecked:)' with the same lifetime.
            """
    )
    @inlinable
    @discardableResult
    public func register<Service>(
        service: Service.Type, cacheService: Bool = true, fileID: StaticString = #fileID, line: UInt = #line,
        creator: @escaping () -> Service
    ) -> ServiceRegistration<Service> {
        add(cached: cacheService, creator, CallSite(fileID, line))
    }

    /// Registers a closure that creates a service.
    ///
    /// The same as ``register(service:cacheService:fileID:line:creator:)``, but without the place of the registration in
    /// messages. The compiler does not check sendability here either. It picks this form for protocol requirements and function
    /// references, which cannot use default arguments.
    ///
    /// - Complexity: That of ``register(service:cacheService:fileID:line:creator:)``.
    @available(
        swift, deprecated: 6,
        message: """
            The compiler does not check sendability here. Use 'register(T.self, lifetime: .eager) { _ in … }', or '.transient' \
            for 'cacheService: false'. If the service is not Sendable, use 'register(unchecked:)' with the same lifetime.
            """
    )
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
    /// **The compiler does not check sendability here.** A service that several threads resolve must be thread-safe. If the service is
    /// `Sendable`, the compiler picks ``register(_:for:fileID:line:)-2b9pb``. With an option such as `named:`, it has to be.
    ///
    /// Traps if the container is sealed or shut down.
    ///
    /// - Parameters:
    ///   - instance: The service. The expression is evaluated once, before the registration is visible.
    ///   - service: The type to register under.
    /// - Returns: A token for ``remove(_:)``. You need not keep it.
    /// - Complexity: Amortised constant.
    @available(
        swift, deprecated: 6,
        message: """
            The service is not Sendable. Make it Sendable, or use 'register(unchecked: T.self, lifetime: .eager) { _ in … }'.
            """
    )
    @inlinable
    @inline(__always)  // So that the context of the autoclosure needs no allocation.
    @discardableResult
    public func register<Service>(
        _ instance: @autoclosure @escaping () -> Service, for service: Service.Type, fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> ServiceRegistration<Service> {
        add(makeEagerly(ServiceKey(), instance), CallSite(fileID, line))
    }

    /// Registers an instance.
    ///
    /// The same as ``register(_:for:fileID:line:)-7c8d7``, but without the place of the registration in messages. The compiler does
    /// not check sendability here either. It picks this form for protocol requirements and function references, which cannot
    /// use default arguments.
    ///
    /// - Complexity: Amortised constant.
    @available(
        swift, deprecated: 6,
        message: """
            The service is not Sendable. Make it Sendable, or use 'register(unchecked: T.self, lifetime: .eager) { _ in … }'.
            """
    )
    @inlinable
    @_disfavoredOverload
    @discardableResult
    public func register<Service>(
        _ instance: @autoclosure @escaping () -> Service, for service: Service.Type
    ) -> ServiceRegistration<Service> {
        add(makeEagerly(ServiceKey(), instance), nil)
    }

    /// Registers a closure that creates a service, in place of all registrations of the type.
    ///
    /// ```swift
    /// container.overwriteExistingRegistrations(service: (any Greeter).self) { Polite() }
    /// ```
    ///
    /// The replacement is atomic: every resolve call finds an old registration or the new one. The tokens of the replaced registrations
    /// have no effect any more, and no registration is left after removing the new one. Replaced services are released on the calling
    /// thread before this function returns, as ``remove(_:)`` releases them. With `cacheService: true` the closure runs before the
    /// replacement, and can still resolve the old registration. With `false` the closure runs in each resolve call, and must not resolve
    /// the same type.
    ///
    /// Parameters and traps are the same as for ``register(service:cacheService:fileID:line:creator:)``. The compiler does not check
    /// sendability here either.
    ///
    /// - Complexity: O(n) in the number of registrations of the type. A cached service's closure runs inside the call.
    @available(
        swift, deprecated: 6,
        message: """
            The compiler does not check sendability here. Use 'register(T.self, lifetime: .eager, replacing: true) { _ in … }', or \
            '.transient' for 'cacheService: false'. If the service is not Sendable, use 'register(unchecked:)' with the same options.
            """
    )
    @inlinable
    @discardableResult
    public func overwriteExistingRegistrations<Service>(
        service: Service.Type, cacheService: Bool = true, fileID: StaticString = #fileID, line: UInt = #line,
        creator: @escaping () -> Service
    ) -> ServiceRegistration<Service> {
        add(cached: cacheService, creator, CallSite(fileID, line), replacing: true)
    }

    /// Registers a closure that creates a service, in place of all registrations of the type.
    ///
    /// The same as ``overwriteExistingRegistrations(service:cacheService:fileID:line:creator:)``, but without the place of the registration
    /// in messages. The compiler does not check sendability here either. It picks this form for protocol requirements and function
    /// references, which cannot use default arguments.
    ///
    /// - Complexity: That of ``overwriteExistingRegistrations(service:cacheService:fileID:line:creator:)``.
    @available(
        swift, deprecated: 6,
        message: """
            The compiler does not check sendability here. Use 'register(T.self, lifetime: .eager, replacing: true) { _ in … }', or \
            '.transient' for 'cacheService: false'. If the service is not Sendable, use 'register(unchecked:)' with the same options.
            """
    )
    @inlinable
    @_disfavoredOverload
    @discardableResult
    public func overwriteExistingRegistrations<Service>(
        service: Service.Type, cacheService: Bool = true, creator: @escaping () -> Service
    ) -> ServiceRegistration<Service> {
        add(cached: cacheService, creator, nil, replacing: true)
    }

    /// Registers an instance in place of all registrations of the type.
    ///
    /// ```swift
    /// container.overwriteExistingRegistrations(withService: Polite(), for: (any Greeter).self)
    /// ```
    ///
    /// The replacement is atomic, as in ``overwriteExistingRegistrations(service:cacheService:fileID:line:creator:)``. Parameters
    /// and traps are the same as for ``register(_:for:fileID:line:)-7c8d7``. The compiler does not check sendability here either.
    ///
    /// - Complexity: O(n) in the number of registrations of the type.
    @available(
        swift, deprecated: 6,
        message: """
            The compiler does not check sendability here. Use 'register(_:for:replacing: true)'. If the service is not Sendable, use \
            'register(unchecked: T.self, lifetime: .eager, replacing: true) { _ in … }'.
            """
    )
    @inlinable
    @inline(__always)  // So that the context of the autoclosure needs no allocation.
    @discardableResult
    public func overwriteExistingRegistrations<Service>(
        withService instance: @autoclosure @escaping () -> Service, for service: Service.Type,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> ServiceRegistration<Service> {
        add(makeEagerly(ServiceKey(), instance), CallSite(fileID, line), replacing: true)
    }

    /// Registers an instance in place of all registrations of the type.
    ///
    /// The same as ``overwriteExistingRegistrations(withService:for:fileID:line:)``, but without the place of the registration
    /// in messages. The compiler does not check sendability here either. It picks this form for protocol requirements and
    /// function references, which cannot use default arguments.
    ///
    /// - Complexity: O(n) in the number of registrations of the type.
    @available(
        swift, deprecated: 6,
        message: """
            The compiler does not check sendability here. Use 'register(_:for:replacing: true)'. If the service is not Sendable, use \
            'register(unchecked: T.self, lifetime: .eager, replacing: true) { _ in … }'.
            """
    )
    @inlinable
    @_disfavoredOverload
    @discardableResult
    public func overwriteExistingRegistrations<Service>(
        withService instance: @autoclosure @escaping () -> Service, for service: Service.Type
    ) -> ServiceRegistration<Service> {
        add(makeEagerly(ServiceKey(), instance), nil, replacing: true)
    }
}
