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
        guard let service = optionalResolve(serviceType) else {
            failMissing(serviceType, in: self, CallSite(fileID, line))
        }
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
        guard let service = optionalResolve(serviceType) else { failMissing(serviceType, in: self, nil) }
        return service
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
    /// - Complexity: As ``resolve(_:fileID:line:)``. Asking for an unknown type leaves no trace.
    /// - Note: Concurrency. From any thread.
    @inlinable
    public func optionalResolve<Service>(_ serviceType: Service.Type) -> Service? {
        withExtendedLifetime(self) {
            if let service = registry.resolve(ServiceKey<Service>()) { return service }
            return parent?.optionalResolve(serviceType)
        }
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
    public func canResolve<Service>(_ serviceType: Service.Type) -> Bool {
        withExtendedLifetime(self) {
            registry.contains(ServiceKey<Service>()) || parent?.canResolve(serviceType) ?? false
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
    /// - Parameter serviceType: The type they were registered under.
    /// - Returns: The services, kept; empty where none is registered. Uncached ones are created for this.
    /// - Complexity: Linear in the number of services.
    /// - Note: Concurrency. From any thread. A container's own registrations are taken as they stood at one moment.
    @inlinable
    public func resolveAll<Service>(_ serviceType: Service.Type) -> [Service] {
        withExtendedLifetime(self) {
            let own = registry.resolveAll(ServiceKey<Service>())
            guard let parent else { return own }
            return own + parent.resolveAll(serviceType)
        }
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
        failMissing(serviceType, in: .current, CallSite(fileID, line))
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
    guard let service = optionalResolve(serviceType) else { failMissing(serviceType, in: .current, nil) }
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
    mayBeOverridden
        ? Override.current.optionalResolve(serviceType) : Registry.process.resolve(ServiceKey<Service>())
}
