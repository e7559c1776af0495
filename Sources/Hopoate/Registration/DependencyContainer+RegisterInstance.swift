extension DependencyContainer {
    /// Registers an instance that is `Sendable`.
    ///
    /// ```swift
    /// container.register(Polite(), for: Polite.self)
    /// ```
    ///
    /// The same as ``register(_:for:fileID:line:)-7c8d7``, but faster, because the variables in the expression are not copied. The compiler
    /// picks this form if the service is `Sendable`.
    ///
    /// - Complexity: Amortised constant.
    @inlinable
    @inline(__always)  // So that the compiler does not copy the instance.
    @discardableResult
    public func register<Service: Sendable>(
        // The result is `sending`, which changes nothing for a Sendable service. Without it, the compiler of Swift 6.3 fails on calls between
        // two `#expect`.
        _ instance: @autoclosure () -> sending Service, for service: Service.Type, fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> ServiceRegistration<Service> {
        add(makeEagerly(ServiceKey(), instance), CallSite(fileID, line))
    }

    /// Registers an instance with a name, disposal hooks, or in place of other registrations.
    ///
    /// ```swift
    /// container.register(Polite(), for: (any Greeter).self, named: .formal)
    /// container.register(Polite(), for: (any Greeter).self, replacing: true)
    /// ```
    ///
    /// Without any of these options, the compiler picks ``register(_:for:fileID:line:)-2b9pb`` or, if the service is not `Sendable`,
    /// ``register(_:for:fileID:line:)-7c8d7``, which does not check that.
    ///
    /// Traps if the container is sealed or shut down.
    ///
    /// - Parameters:
    ///   - instance: The service. The expression is evaluated once, before the registration is visible.
    ///   - service: The type to register under.
    ///   - name: The name of the service; nil for an unnamed service.
    ///   - replacing: Whether the registration atomically replaces all others of this type and name, instead of shadowing them.
    ///   - onDispose: Runs once, when the container releases the instance.
    ///   - onAsyncDispose: The same as `onDispose`, but it may suspend. `shutdown()` waits for it. Every other release
    ///     starts it in a task of its own.
    /// - Returns: A token for ``remove(_:)``. You need not keep it.
    /// - Complexity: Amortised constant; O(n) in the number of replaced registrations.
    @inlinable
    @inline(__always)  // So that the context of the autoclosure needs no allocation.
    @_disfavoredOverload  // Without an option, it is Hopoate's form.
    @discardableResult
    public func register<Service: Sendable>(
        _ instance: @autoclosure @escaping () -> Service, for service: Service.Type,
        named name: DependencyName? = nil, replacing: Bool = false, fileID: StaticString = #fileID, line: UInt = #line,
        onDispose: (@Sendable (Service) throws -> Void)? = nil,
        onAsyncDispose: (@Sendable (Service) async throws -> Void)? = nil
    ) -> ServiceRegistration<Service> {
        if onDispose == nil, onAsyncDispose == nil {
            return add(
                makeEagerly(ServiceKey(named: name), instance), named: name, CallSite(fileID, line),
                replacing: replacing)
        }
        return addInstance(instance, name, CallSite(fileID, line), replacing, onDispose, onAsyncDispose)
    }

    /// Registers an instance by way of a `ServiceDefinition`, which can have hooks.
    @usableFromInline
    func addInstance<Service>(
        _ instance: @escaping () -> Service, _ name: DependencyName?, _ callSite: CallSite, _ replacing: Bool,
        _ onDispose: ((Service) throws -> Void)?, _ onAsyncDispose: (@Sendable (Service) async throws -> Void)?
    ) -> ServiceRegistration<Service> {
        add(
            ServiceDefinition<Service, Void>(
                key: ServiceKey(named: name), name: name, lifetime: .eager, callSite: callSite,
                closures: .synchronous { _, _ in instance() },
                hooks: DisposalHooks(sync: onDispose, async: onAsyncDispose)),
            replacing: replacing)
    }

    /// Registers a noncopyable instance. The container owns it, and callers borrow it with `withService`.
    ///
    /// ```swift
    /// struct Journal: ~Copyable {
    ///     func write(_ line: String) { print(line) }
    ///     deinit { print("closed") }
    /// }
    /// container.register(noncopyable: Journal(), for: Journal.self)
    /// container.withService(Journal.self) { journal in journal.write("opened") }
    /// ```
    ///
    /// There are no disposal hooks. The deinitializer of the instance runs when its registration has left the container and nobody holds
    /// the token. So keep the token only if you need it for ``remove(_:)``, and drop it afterwards. Other parameters and traps are the same
    /// as for ``register(_:for:named:replacing:fileID:line:onDispose:onAsyncDispose:)``.
    ///
    /// - Returns: A token for ``remove(_:)``. You need not keep it. A token that you keep also keeps the instance alive.
    /// - Complexity: Amortised constant; O(n) in the number of replaced registrations.
    @inlinable
    @discardableResult
    public func register<Service: ~Copyable & Sendable>(
        noncopyable instance: consuming Service, for service: Service.Type, named name: DependencyName? = nil,
        replacing: Bool = false, fileID: StaticString = #fileID, line: UInt = #line
    ) -> ServiceRegistration<Service> {
        add(
            InstanceRegistration(
                ServiceKey(named: name), holding: instance, name: name, callSite: CallSite(fileID, line)),
            replacing: replacing)
    }
}
