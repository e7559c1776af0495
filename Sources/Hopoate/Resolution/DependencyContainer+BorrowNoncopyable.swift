// Services that cannot be copied: a file that closes itself, a lock, a buffer. The container owns such an instance; all that
// anybody gets is a loan. These overloads take part only where the others cannot, since what can be copied can be resolved.

extension DependencyContainer {
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
