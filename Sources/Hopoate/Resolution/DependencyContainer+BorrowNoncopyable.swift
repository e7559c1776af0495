// Services that cannot be copied: a file that closes itself, a lock, a buffer. The container owns such an instance; all that
// anybody gets is a loan. These overloads take part only where the others cannot, since what can be copied can be resolved.

extension DependencyContainer {
    /// Registers an instance that cannot be copied. The container owns it from now on, and lends it.
    ///
    /// ```swift
    /// struct Journal: ~Copyable {
    ///     func write(_ line: String) { print(line) }
    ///     deinit { print("closed") }
    /// }
    /// container.register(Journal(), for: Journal.self)
    /// container.withService(Journal.self) { journal in journal.write("opened") }
    /// ```
    ///
    /// Its deinitializer runs when the registration and its token are gone: ``remove(_:)`` it, or drop the container.
    ///
    /// - Parameters:
    ///   - instance: The service.
    ///   - service: The type to register under.
    ///   - name: Tells it apart from others of the type; nil for one without a name.
    ///   - fileID: Where it is registered; filled in by the compiler.
    ///   - line: Where it is registered; filled in by the compiler.
    /// - Returns: A token for ``remove(_:)``. The container does not need it; as long as you hold it, the instance lives.
    /// - Complexity: Constant, amortised.
    /// - Note: Concurrency. From any thread. The registration appears at once and whole.
    @inlinable
    @_disfavoredOverload
    @discardableResult
    public func register<Service: ~Copyable>(
        _ instance: consuming Service, for service: Service.Type, named name: DependencyName? = nil,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> ServiceRegistration<Service> {
        add(
            ServiceRegistration(
                ServiceKey(named: name), .instance(instance), name: name, callSite: CallSite(fileID, line)))
    }

    /// Registers an instance that cannot be copied, in the place of all registrations of the type.
    ///
    /// ```swift
    /// struct Journal: ~Copyable {}
    /// container.overwriteExistingRegistrations(withService: Journal(), for: Journal.self)
    /// ```
    ///
    /// - Parameters:
    ///   - instance: The service.
    ///   - service: The type to register under.
    ///   - name: Tells it apart from others of the type; nil for one without a name.
    ///   - fileID: Where it is registered; filled in by the compiler.
    ///   - line: Where it is registered; filled in by the compiler.
    /// - Returns: A token for ``remove(_:)``.
    /// - Complexity: Linear in the number of registrations of the type.
    /// - Note: Concurrency. As ``overwriteExistingRegistrations(service:cacheService:fileID:line:creator:)``.
    @inlinable
    @_disfavoredOverload
    @discardableResult
    public func overwriteExistingRegistrations<Service: ~Copyable>(
        withService instance: consuming Service, for service: Service.Type, named name: DependencyName? = nil,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> ServiceRegistration<Service> {
        add(
            ServiceRegistration(
                ServiceKey(named: name), .instance(instance), name: name, callSite: CallSite(fileID, line)),
            overwriting: true)
    }

    /// Lends the newest service of a type that cannot be copied to a closure; one has to be registered.
    ///
    /// ```swift
    /// struct Journal: ~Copyable { func write(_ line: String) { print(line) } }
    /// container.register(Journal(), for: Journal.self)
    /// container.withService(Journal.self) { journal in journal.write("a line") }
    /// ```
    ///
    /// Only instances are found so: in code that is generic over what may not be copied, a service that is created on demand
    /// counts as missing.
    ///
    /// - Parameters:
    ///   - serviceType: The type it was registered under.
    ///   - name: The name it was registered with; nil for one without.
    ///   - fileID: Where it is asked for; filled in by the compiler.
    ///   - line: Where it is asked for; filled in by the compiler.
    ///   - body: What to do with the service. Several threads may be in such closures at once.
    /// - Returns: What the closure returns.
    /// - Throws: What the closure throws.
    /// - Complexity: Constant, plus the closure.
    /// - Note: Concurrency. From any thread. Nothing is locked while the closure runs, and what is removed meanwhile outlives it.
    @inlinable
    @_disfavoredOverload
    public func withService<Service: ~Copyable, Output, Failure: Error>(
        _ serviceType: Service.Type, named name: DependencyName? = nil, fileID: StaticString = #fileID,
        line: UInt = #line,
        _ body: (borrowing Service) throws(Failure) -> Output
    ) throws(Failure) -> Output {
        guard let output = try withOptionalService(serviceType, named: name, body) else {
            failMissing(ServiceKey<Service>(named: name), in: self, CallSite(fileID, line))
        }
        return output
    }

    /// Lends the newest service of a type that cannot be copied to a closure, or returns nil where none is registered.
    ///
    /// ```swift
    /// struct Journal: ~Copyable { func write(_ line: String) { print(line) } }
    /// container.withOptionalService(Journal.self) { journal in journal.write("a line") }
    /// ```
    ///
    /// - Parameters:
    ///   - serviceType: The type it was registered under.
    ///   - name: The name it was registered with; nil for one without.
    ///   - body: What to do with the service.
    /// - Returns: What the closure returns; nil, without a call of it, where nothing is registered.
    /// - Throws: What the closure throws.
    /// - Complexity: Constant, plus the closure.
    /// - Note: Concurrency. From any thread. Nothing is locked while the closure runs, and what is removed meanwhile outlives it.
    @inlinable
    @_disfavoredOverload
    @discardableResult
    public func withOptionalService<Service: ~Copyable, Output, Failure: Error>(
        _ serviceType: Service.Type, named name: DependencyName? = nil,
        _ body: (borrowing Service) throws(Failure) -> Output
    ) throws(Failure) -> Output? {
        try withExtendedLifetime((self, name)) { () throws(Failure) -> Output? in
            let key = ServiceKey<Service>(named: name)
            if let output = try registry.withNewest(noncopyable: key, body) { return output }
            var owner = parent
            while let container = owner {
                if let output = try container.registry.withNewest(noncopyable: key, body) { return output }
                owner = container.parent
            }
            return nil
        }
    }
}

/// Lends the newest service of a type that cannot be copied, in ``DependencyContainer/shared``, to a closure; one has to be
/// registered.
///
/// ```swift
/// struct Journal: ~Copyable { func write(_ line: String) { print(line) } }
/// DependencyContainer.shared.register(Journal(), for: Journal.self)
/// withService(Journal.self) { journal in journal.write("a line") }
/// ```
///
/// - Parameters:
///   - serviceType: The type it was registered under.
///   - name: The name it was registered with; nil for one without.
///   - fileID: Where it is asked for; filled in by the compiler.
///   - line: Where it is asked for; filled in by the compiler.
///   - body: What to do with the service.
/// - Returns: What the closure returns.
/// - Throws: What the closure throws.
/// - Complexity: Constant, plus the closure.
/// - Note: Concurrency. From any thread. Nothing is locked while the closure runs, and what is removed meanwhile outlives it.
@inlinable
@_disfavoredOverload
public func withService<Service: ~Copyable, Output, Failure: Error>(
    _ serviceType: Service.Type, named name: DependencyName? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: (borrowing Service) throws(Failure) -> Output
) throws(Failure) -> Output {
    try DependencyContainer.current.withService(serviceType, named: name, fileID: fileID, line: line, body)
}

/// Lends the newest service of a type that cannot be copied, in ``DependencyContainer/shared``, to a closure, or returns nil
/// where none is registered.
///
/// ```swift
/// struct Journal: ~Copyable { func write(_ line: String) { print(line) } }
/// withOptionalService(Journal.self) { journal in journal.write("a line") }
/// ```
///
/// - Parameters:
///   - serviceType: The type it was registered under.
///   - name: The name it was registered with; nil for one without.
///   - body: What to do with the service.
/// - Returns: What the closure returns; nil, without a call of it, where nothing is registered.
/// - Throws: What the closure throws.
/// - Complexity: Constant, plus the closure.
/// - Note: Concurrency. From any thread. Nothing is locked while the closure runs, and what is removed meanwhile outlives it.
@inlinable
@_disfavoredOverload
@discardableResult
public func withOptionalService<Service: ~Copyable, Output, Failure: Error>(
    _ serviceType: Service.Type, named name: DependencyName? = nil,
    _ body: (borrowing Service) throws(Failure) -> Output
) throws(Failure) -> Output? {
    try DependencyContainer.current.withOptionalService(serviceType, named: name, body)
}
