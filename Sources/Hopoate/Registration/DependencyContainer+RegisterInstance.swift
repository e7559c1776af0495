extension DependencyContainer {
    /// Registers an instance, with the options of any registration.
    ///
    /// ```swift
    /// container.register(Polite(), for: (any Greeter).self, named: .formal)
    /// container.register(Polite(), for: (any Greeter).self, replacing: true)
    /// ```
    ///
    /// - Parameters:
    ///   - instance: The service. It is evaluated once, before the registration can be found.
    ///   - service: The type to register under.
    ///   - name: The name of the service; nil for a service without a name.
    ///   - replacing: Whether the registration replaces all others of the type with this name, in one atomic step.
    ///   - onDispose: Runs when the container releases the instance.
    ///   - onAsyncDispose: As `onDispose`; the asynchronous `shutdown()` waits for it.
    /// - Returns: A token for ``remove(_:)``. The container does not need it.
    /// - Complexity: Amortised constant; linear in the number of registrations that are replaced.
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
        addInstance(instance, name, CallSite(fileID, line), replacing, onDispose, onAsyncDispose)
    }

    // With the parameters of the noncopyable form: else that would be preferred, since it has fewer.

    /// Registers an instance with a name, or in the place of all others: as the form with hooks, which it is preferred to.
    ///
    /// - Parameters:
    ///   - instance: The service. It is evaluated once, before the registration can be found.
    ///   - service: The type to register under.
    ///   - name: The name of the service; nil for a service without a name.
    ///   - replacing: Whether the registration replaces all others of the type with this name, in one atomic step.
    /// - Returns: A token for ``remove(_:)``. The container does not need it.
    /// - Complexity: Amortised constant; linear in the number of registrations that are replaced.
    @inlinable
    @inline(__always)  // So that the context of the autoclosure needs no allocation.
    @_disfavoredOverload  // Without an option, it is Hopoate's form.
    @discardableResult
    public func register<Service: Sendable>(
        _ instance: @autoclosure @escaping () -> Service, for service: Service.Type,
        named name: DependencyName? = nil, replacing: Bool = false, fileID: StaticString = #fileID, line: UInt = #line
    ) -> ServiceRegistration<Service> {
        add(
            makeEagerly(ServiceKey(named: name), instance), named: name, CallSite(fileID, line), replacing: replacing)
    }

    /// As the form with hooks, if there is one.
    @usableFromInline
    func addInstance<Service>(
        _ instance: @escaping () -> Service, _ name: DependencyName?, _ callSite: CallSite, _ replacing: Bool,
        _ onDispose: ((Service) throws -> Void)?, _ onAsyncDispose: (@Sendable (Service) async throws -> Void)?
    ) -> ServiceRegistration<Service> {
        add(
            ServiceDefinition<Service, Void>(
                ServiceKey(named: name), name, .eager, callSite, .synchronous { _, _ in instance() },
                hooks: DisposalHooks(sync: onDispose, async: onAsyncDispose)),
            replacing: replacing)
    }

    /// Registers an instance that cannot be copied. The container owns it from now on, and callers borrow it.
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
    /// Its deinitializer runs when the registration and its token are gone: ``remove(_:)`` it, or release the container.
    ///
    /// - Parameters:
    ///   - instance: The service.
    ///   - service: The type to register under.
    ///   - name: The name of the service; nil for a service without a name.
    ///   - replacing: Whether the registration replaces all others of the type with this name.
    /// - Returns: A token for ``remove(_:)``. The container does not need it; as long as you hold it, the instance lives.
    /// - Complexity: Amortised constant; linear in the number of registrations that are replaced.
    @inlinable
    @_disfavoredOverload
    @discardableResult
    public func register<Service: ~Copyable & Sendable>(
        _ instance: consuming Service, for service: Service.Type, named name: DependencyName? = nil,
        replacing: Bool = false, fileID: StaticString = #fileID, line: UInt = #line
    ) -> ServiceRegistration<Service> {
        add(
            ServiceRegistration(
                ServiceKey(named: name), .instance(instance), name: name, callSite: CallSite(fileID, line)),
            replacing: replacing)
    }
}
