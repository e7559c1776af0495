extension DependencyContainer {
    /// The newest service of a type, or an error that says why it cannot be had: the form of ``resolve(_:fileID:line:)`` that
    /// never ends the process.
    ///
    /// ```swift
    /// do {
    ///     let greeter = try container.require((any Greeter).self)
    ///     print(greeter.greeting(for: "Grace"))
    /// } catch {
    ///     print(error)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - serviceType: The type it was registered under.
    ///   - name: The name it was registered with; nil for one without.
    ///   - fileID: Where it is asked for; filled in by the compiler.
    ///   - line: Where it is asked for; filled in by the compiler.
    /// - Returns: The service, kept.
    /// - Throws: ``DependencyError``: where none is registered, where its creator threw, where its creation asks for itself,
    ///   where it can only be made asynchronously, and in a container that has been shut down.
    /// - Complexity: As ``resolve(_:fileID:line:)``.
    /// - Note: Concurrency. From any thread.
    @inlinable
    public func require<Service>(
        _ serviceType: Service.Type = Service.self, named name: DependencyName? = nil, fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws(DependencyError) -> Service {
        let key = ServiceKey<Service>(named: name)
        if let service = try find(key) { return service }
        throw missing(key, CallSite(fileID, line))
    }

    /// The error for what nobody registered.
    @usableFromInline
    func missing<Service: ~Copyable>(_ key: ServiceKey<Service>, _ callSite: CallSite?) -> DependencyError {
        DependencyError(missing: key.identity, in: self, callSite)
    }
}

/// The newest service of a type in ``DependencyContainer/shared``, or an error that says why it cannot be had.
///
/// ```swift
/// let greeter = try require((any Greeter).self)
/// ```
///
/// - Parameters:
///   - serviceType: The type it was registered under.
///   - name: The name it was registered with; nil for one without.
///   - fileID: Where it is asked for; filled in by the compiler.
///   - line: Where it is asked for; filled in by the compiler.
/// - Returns: The service, kept.
/// - Throws: As ``DependencyContainer/require(_:named:fileID:line:)``.
/// - Complexity: As ``DependencyContainer/resolve(_:fileID:line:)``.
/// - Note: Concurrency. From any thread.
@inlinable
public func require<Service>(
    _ serviceType: Service.Type = Service.self, named name: DependencyName? = nil, fileID: StaticString = #fileID,
    line: UInt = #line
) throws(DependencyError) -> Service {
    try DependencyContainer.current.require(serviceType, named: name, fileID: fileID, line: line)
}
