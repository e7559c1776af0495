extension DependencyContainer {
    /// The newest service of a type; one has to be registered.
    ///
    /// ```swift
    /// let greeter = container.resolve((any Greeter).self)
    /// ```
    ///
    /// Where none is, the process ends with a message that names the type, the place that asked, and what is registered
    /// under a similar name. See ``optionalResolve(_:)`` for the form that does not.
    ///
    /// - Parameters:
    ///   - serviceType: The type it was registered under.
    ///   - fileID: Where it is asked for; filled in by the compiler.
    ///   - line: Where it is asked for; filled in by the compiler.
    /// - Returns: The service, kept: it stays alive for as long as you hold it.
    /// - Complexity: Constant; no lock and, for a cached service, no allocation. An uncached one costs its creator.
    /// - Note: Concurrency. From any thread. Sees all that happened before the service was registered.
    @inlinable
    public func resolve<Service>(
        _ serviceType: Service.Type, fileID: StaticString = #fileID, line: UInt = #line
    ) -> Service {
        let key = ServiceKey<Service>()
        guard let service = findOrFail(key) else { failMissing(key, in: self, CallSite(fileID, line)) }
        return service
    }

    /// The newest service of a type; one has to be registered. The form for protocol conformances and function references,
    /// where there is no place to name.
    ///
    /// - Parameter serviceType: The type it was registered under.
    /// - Returns: The service, kept.
    /// - Complexity: As ``resolve(_:fileID:line:)``.
    /// - Note: Concurrency. As ``resolve(_:fileID:line:)``.
    @inlinable
    @_disfavoredOverload
    public func resolve<Service>(_ serviceType: Service.Type) -> Service {
        guard let service = optionalResolve(serviceType) else { failMissing(ServiceKey<Service>(), in: self, nil) }
        return service
    }

    /// The newest service of a type, with a name, or of the type that the context says; one has to be registered.
    ///
    /// ```swift
    /// let greeter = container.resolve((any Greeter).self, named: .formal)
    /// let other: any Greeter = container.resolve()
    /// ```
    ///
    /// - Parameters:
    ///   - serviceType: The type it was registered under; the context may say it.
    ///   - name: The name it was registered with; nil for one without.
    ///   - fileID: Where it is asked for; filled in by the compiler.
    ///   - line: Where it is asked for; filled in by the compiler.
    /// - Returns: The service, kept.
    /// - Complexity: As ``resolve(_:fileID:line:)``.
    /// - Note: Concurrency. As ``resolve(_:fileID:line:)``.
    @inlinable
    @_disfavoredOverload  // Without a name, it is Hopoate's form.
    public func resolve<Service>(
        _ serviceType: Service.Type = Service.self, named name: DependencyName? = nil, fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> Service {
        guard let service = optionalResolve(serviceType, named: name) else {
            failMissing(ServiceKey<Service>(named: name), in: self, CallSite(fileID, line))
        }
        return service
    }

    /// The newest service of the type that is wanted where this is written: the short form for creators.
    ///
    /// ```swift
    /// container.register(Checkout.self) { container in Checkout(greeter: container(), log: container()) }
    /// ```
    ///
    /// - Parameters:
    ///   - serviceType: The type it was registered under, where it cannot be told from the place.
    ///   - name: The name it was registered with; nil for one without.
    ///   - fileID: Where it is asked for; filled in by the compiler.
    ///   - line: Where it is asked for; filled in by the compiler.
    /// - Returns: The service, kept.
    /// - Complexity: As ``resolve(_:fileID:line:)``.
    /// - Note: Concurrency. As ``resolve(_:fileID:line:)``.
    @inlinable
    public func callAsFunction<Service>(
        _ serviceType: Service.Type = Service.self, named name: DependencyName? = nil, fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> Service {
        resolve(named: name, fileID: fileID, line: line)
    }

    /// The newest service of a type, or nil where none is registered.
    ///
    /// ```swift
    /// if let greeter = container.optionalResolve((any Greeter).self) {
    ///     print(greeter.greeting(for: "Grace"))
    /// }
    /// ```
    ///
    /// - Parameter serviceType: The type it was registered under.
    /// - Returns: The service, kept; nil where none is registered.
    /// - Complexity: As ``resolve(_:fileID:line:)``. DeferredResolution for an unknown type leaves no trace.
    /// - Note: Concurrency. From any thread.
    @inlinable
    public func optionalResolve<Service>(_ serviceType: Service.Type) -> Service? {
        findOrFail(ServiceKey<Service>())
    }

    /// The newest service of a type that has a name, or nil where none is registered.
    ///
    /// ```swift
    /// let greeting = container.optionalResolve((any Greeter).self, named: .formal)?.greeting(for: "Grace")
    /// ```
    ///
    /// - Parameters:
    ///   - serviceType: The type it was registered under.
    ///   - name: The name it was registered with; nil for one without.
    /// - Returns: The service, kept; nil where none is registered.
    /// - Complexity: As ``resolve(_:fileID:line:)``.
    /// - Note: Concurrency. From any thread.
    @inlinable
    public func optionalResolve<Service>(_ serviceType: Service.Type, named name: DependencyName?) -> Service? {
        findOrFail(ServiceKey<Service>(named: name))
    }

    /// Whether a service of a type is registered. Runs no creator.
    ///
    /// ```swift
    /// if !container.canResolve((any Greeter).self) {
    ///     container.register(Polite(), for: (any Greeter).self)
    /// }
    /// ```
    ///
    /// - Parameter serviceType: The type it would have been registered under.
    /// - Returns: Whether ``resolve(_:fileID:line:)`` would have found one.
    /// - Complexity: Constant.
    /// - Note: Concurrency. From any thread. Another thread may register or remove one right after.
    @inlinable
    public func canResolve<Service: ~Copyable>(_ serviceType: Service.Type) -> Bool {
        withExtendedLifetime(self) {
            registry.contains(ServiceKey<Service>()) || parent?.canResolve(serviceType) ?? false
        }
    }

    /// Whether a service of a type is registered with a name. Runs no creator.
    ///
    /// ```swift
    /// let hasFormalOne = container.canResolve((any Greeter).self, named: .formal)
    /// ```
    ///
    /// - Parameters:
    ///   - serviceType: The type it would have been registered under.
    ///   - name: The name it would have been registered with; nil for one without.
    /// - Returns: Whether ``resolve(_:named:fileID:line:)`` would have found one.
    /// - Complexity: Constant.
    /// - Note: Concurrency. As ``canResolve(_:)``.
    @inlinable
    public func canResolve<Service: ~Copyable>(_ serviceType: Service.Type, named name: DependencyName?) -> Bool {
        withExtendedLifetime(self) {
            registry.contains(ServiceKey<Service>(named: name)) || parent?.canResolve(serviceType, named: name) ?? false
        }
    }

    /// All services of a type, newest first, those of the parents after its own.
    ///
    /// ```swift
    /// for check in container.resolveAll((any HealthCheck).self) {
    ///     print(check.isHealthy)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - serviceType: The type they were registered under.
    ///   - name: The name they were registered with; nil for those without.
    /// - Returns: The services, kept; empty where none is registered. Those that do not exist yet are created for this.
    /// - Complexity: Linear in the number of services.
    /// - Note: Concurrency. From any thread. A container's own registrations are taken as they stood at one moment.
    @inlinable
    public func resolveAll<Service>(_ serviceType: Service.Type, named name: DependencyName? = nil) -> [Service] {
        withExtendedLifetime(self) { resolveAll(ServiceKey<Service>(named: name), for: self) }
    }

    /// As the other one, for this container or one of its children, which was asked.
    @inlinable
    func resolveAll<Service>(_ key: ServiceKey<Service>, for container: DependencyContainer) -> [Service] {
        let own = registry.resolveAll(key, Resolution(container: container, owner: self))
        guard let parent else { return own }
        return own + parent.resolveAll(key, for: container)
    }
}

// MARK: - What the ways of asking have in common

extension DependencyContainer {
    /// The newest service of a key, here or in the parents; nil where there is none.
    @inlinable
    @inline(__always)
    func find<Service>(_ key: ServiceKey<Service>) throws(DependencyError) -> Service? {
        defer { withExtendedLifetime(self) {} }
        if let service = try registry.resolve(key, Resolution(container: self, owner: self)) { return service }
        return try parent?.find(key, for: self)
    }

    /// As `find`; ends the process where that throws.
    @inlinable
    @inline(__always)
    func findOrFail<Service>(_ key: ServiceKey<Service>) -> Service? {
        do throws(DependencyError) { return try find(key) } catch { fail(error) }
    }

    /// As `find`, for one of the children, which was asked.
    @inlinable
    func find<Service>(
        _ key: ServiceKey<Service>, for container: DependencyContainer
    ) throws(DependencyError) -> Service? {
        if let service = try registry.resolve(key, Resolution(container: container, owner: self)) { return service }
        return try parent?.find(key, for: container)
    }
}

/// The newest service of a type in ``DependencyContainer/shared``; one has to be registered.
///
/// ```swift
/// let greeter = resolve((any Greeter).self)
/// ```
///
/// - Parameters:
///   - serviceType: The type it was registered under.
///   - fileID: Where it is asked for; filled in by the compiler.
///   - line: Where it is asked for; filled in by the compiler.
/// - Returns: The service, kept: it stays alive for as long as you hold it.
/// - Complexity: As ``DependencyContainer/resolve(_:fileID:line:)``; it does not even touch the container.
/// - Note: Concurrency. From any thread.
@inlinable
public func resolve<Service>(
    _ serviceType: Service.Type, fileID: StaticString = #fileID, line: UInt = #line
) -> Service {
    guard let service = optionalResolve(serviceType) else {
        failMissing(ServiceKey<Service>(), in: .current, CallSite(fileID, line))
    }
    return service
}

/// The newest service of a type in ``DependencyContainer/shared``; one has to be registered. The form for function
/// references, where there is no place to name.
///
/// - Parameter serviceType: The type it was registered under.
/// - Returns: The service, kept.
/// - Complexity: As ``DependencyContainer/resolve(_:fileID:line:)``.
/// - Note: Concurrency. From any thread.
@inlinable
@_disfavoredOverload
public func resolve<Service>(_ serviceType: Service.Type) -> Service {
    guard let service = optionalResolve(serviceType) else { failMissing(ServiceKey<Service>(), in: .current, nil) }
    return service
}

/// The newest service of a type in ``DependencyContainer/shared``, or nil where none is registered.
///
/// ```swift
/// let greeting = optionalResolve((any Greeter).self)?.greeting(for: "Grace") ?? "Hello."
/// ```
///
/// - Parameter serviceType: The type it was registered under.
/// - Returns: The service, kept; nil where none is registered.
/// - Complexity: As ``DependencyContainer/optionalResolve(_:)``.
/// - Note: Concurrency. From any thread.
@inlinable
public func optionalResolve<Service>(_ serviceType: Service.Type) -> Service? {
    // The registry, not the container: there is no reference to count.
    if mayBeOverriddenHere { return findInShared(ServiceKey<Service>()) }
    return findInProcess(ServiceKey<Service>())
}

/// The newest service of a key in `shared`, whatever that is; traps if there is an error. Out of line: calls are many.
@inlinable
@inline(never)
func findInShared<Service>(_ key: ServiceKey<Service>) -> Service? { DependencyContainer.currentSlow.findOrFail(key) }

/// The newest service of a key in the container of the process; ends the process where there is an error.
@inlinable
@inline(__always)
func findInProcess<Service>(_ key: ServiceKey<Service>) -> Service? {
    do throws(DependencyError) {
        return try Registry.process.resolve(key, Resolution(container: .process, owner: .process))
    } catch {
        fail(error)
    }
}

/// The newest service of a type that has a name, in ``DependencyContainer/shared``; one has to be registered.
///
/// ```swift
/// let greeter = resolve((any Greeter).self, named: .formal)
/// ```
///
/// - Parameters:
///   - serviceType: The type it was registered under.
///   - name: The name it was registered with.
///   - fileID: Where it is asked for; filled in by the compiler.
///   - line: Where it is asked for; filled in by the compiler.
/// - Returns: The service, kept.
/// - Complexity: As ``resolve(_:fileID:line:)``.
/// - Note: Concurrency. From any thread.
@inlinable
public func resolve<Service>(
    _ serviceType: Service.Type, named name: DependencyName, fileID: StaticString = #fileID, line: UInt = #line
) -> Service {
    guard let service = optionalResolve(serviceType, named: name) else {
        failMissing(ServiceKey<Service>(named: name), in: .current, CallSite(fileID, line))
    }
    return service
}

/// The newest service of a type that has a name, in ``DependencyContainer/shared``, or nil where none is registered.
///
/// ```swift
/// let greeter = optionalResolve((any Greeter).self, named: .formal)
/// ```
///
/// - Parameters:
///   - serviceType: The type it was registered under.
///   - name: The name it was registered with; nil for one without.
/// - Returns: The service, kept; nil where none is registered.
/// - Complexity: As ``DependencyContainer/optionalResolve(_:)``.
/// - Note: Concurrency. From any thread.
@inlinable
public func optionalResolve<Service>(_ serviceType: Service.Type, named name: DependencyName?) -> Service? {
    if mayBeOverriddenHere { return findInShared(ServiceKey<Service>(named: name)) }
    return findInProcess(ServiceKey<Service>(named: name))
}
