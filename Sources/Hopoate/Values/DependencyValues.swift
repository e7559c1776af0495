/// The key of an environment value, and its default.
///
/// ```swift
/// enum CurrencyKey: DependencyKey {
///     static var defaultValue: String { "EUR" }
/// }
/// ```
///
/// See ``DependencyValues``.
///
/// - Note: Concurrency. The default is computed on any thread, with no lock held.
public protocol DependencyKey {
    /// The type of the value.
    associatedtype Value

    /// The value if none was set.
    ///
    /// The first access that needs the default computes it. The container without a parent keeps it, for itself and for all its children.
    /// So an object that a computed property creates exists once for the default container and all its children. A test with an isolated
    /// container has a default of its own.
    ///
    /// The property runs in the context of that container, as the factory of a singleton does. So ``DependencyContainer/shared`` is that
    /// container, and the task-locals of the caller are not visible.
    ///
    /// - Complexity: That of the key.
    static var defaultValue: Value { get }
}

/// The environment values of a container: settings and other small values, each with a key and a default.
///
/// ```swift
/// enum CurrencyKey: DependencyKey {
///     static var defaultValue: String { "EUR" }
/// }
/// extension DependencyValues {
///     var currency: String {
///         get { self[CurrencyKey.self] }
///         nonmutating set { self[CurrencyKey.self] = newValue }
///     }
/// }
/// struct Price {
///     @Dependency(\.currency) var currency: String
/// }
///
/// DependencyContainer.shared.values.currency = "USD"
/// withDependencies {
///     $0.currency = "SEK"
/// } operation: {
///     print(Price().currency)  // SEK, here and in tasks that are started here
/// }
/// ```
///
/// A value is looked up in the container, then in its parents, and the default comes last. A value that is set in a child is
/// visible only there.
///
/// `DependencyValues` is a view of the container and stores nothing itself.
///
/// - Note: Concurrency. Thread-safe. A value that is set is visible at once and as a whole. Values and defaults need not be
///   `Sendable`, but those that are used from several threads must be thread-safe. A default is computed once, also if several
///   threads need it at the same time.
public struct DependencyValues: Sendable {
    let container: DependencyContainer
    /// The containers that are searched first; nil if there are none.
    private let override: ValueOverride?

    init(_ container: DependencyContainer, inside override: ValueOverride? = nil) {
        self.container = container
        self.override = override
    }

    /// The value of a key. If it is not set in this container, its parents are searched; the default comes last.
    ///
    /// ```swift
    /// enum CurrencyKey: DependencyKey {
    ///     static var defaultValue: String { "EUR" }
    /// }
    /// container.values[CurrencyKey.self] = "USD"
    /// ```
    ///
    /// Setting a value replaces the previous value of this container and leaves those of its parents unchanged. Setting traps if
    /// the container is sealed or shut down.
    ///
    /// - Parameter key: The key.
    /// - Complexity: O(n) in the number of parents, without a lock. Setting waits for lookups in progress, a few nanoseconds
    ///   each.
    public subscript<Key: DependencyKey>(key: Key.Type) -> Key.Value {
        get {
            let key = ServiceKey<EnvironmentValue<Key>>()
            if let override, let value = override.find(key) { return value.value }
            return container.findOrFail(key)?.value ?? container.defaultValue(of: Key.self)
        }
        nonmutating set {
            _ = container.add(
                InstanceRegistration(ServiceKey(), holding: EnvironmentValue<Key>(newValue), callSite: nil),
                replacing: true)
        }
    }

    /// Removes the value that was set in this container. The value of a parent, or the default, is visible again.
    ///
    /// ```swift
    /// enum CurrencyKey: DependencyKey {
    ///     static var defaultValue: String { "EUR" }
    /// }
    /// container.values[CurrencyKey.self] = "USD"
    /// container.values.removeValue(for: CurrencyKey.self)
    /// ```
    ///
    /// - Parameter key: The key.
    /// - Complexity: That of setting a value.
    /// - Note: Concurrency. A value that another thread sets at the same time may stay.
    public func removeValue<Key: DependencyKey>(for key: Key.Type) {
        if let registration = container.registry.newest(ServiceKey<EnvironmentValue<Key>>()) {
            container.remove(registration)
        }
    }
}

/// A value as a service of a type that belongs to its key alone.
struct EnvironmentValue<Key: DependencyKey>: LibraryService {
    let value: Key.Value

    init(_ value: Key.Value) {
        self.value = value
    }
}

extension DependencyContainer {
    /// The environment values of this container.
    ///
    /// ```swift
    /// enum CurrencyKey: DependencyKey {
    ///     static var defaultValue: String { "EUR" }
    /// }
    /// print(container.values[CurrencyKey.self])
    /// ```
    ///
    /// The setter exists so that you can set a single value: `container.values.currency = "USD"`. Assigning the values of
    /// another container traps.
    public var values: DependencyValues {
        get { DependencyValues(self) }
        set {
            if newValue.container !== self {
                failInvalid(
                    ServiceKey<DependencyValues>(), nil,
                    "belongs to another container. Set the values one by one")
            }
        }
    }
}

/// Runs a closure with other environment values.
///
/// ```swift
/// enum CurrencyKey: DependencyKey {
///     static var defaultValue: String { "EUR" }
/// }
/// withDependencies {
///     $0[CurrencyKey.self] = "SEK"
/// } operation: {
///     print(DependencyContainer.shared.values[CurrencyKey.self])  // SEK
/// }
/// ```
///
/// Inside the closure, ``DependencyContainer/shared`` is a new child of the container outside, and the values are set in that
/// child. Other lookups work as before. Registrations that the closure makes in the child end with it.
///
/// - Parameters:
///   - update: Sets the values.
///   - operation: The closure to run.
/// - Returns: The result of the closure.
/// - Throws: The errors of both closures.
/// - Complexity: One container, one task-local binding, and the values.
/// - Note: Concurrency. Only the current task, and the tasks that it starts meanwhile, see the values.
public func withDependencies<Output>(
    _ update: (inout DependencyValues) throws -> Void, operation: () throws -> Output
) rethrows -> Output {
    let container = DependencyContainer.current.makeChild()
    var values = DependencyValues(container)
    try update(&values)
    return try DependencyContainer.$shared.withValue(container, operation: operation)
}

/// Runs an asynchronous closure with other environment values. Otherwise it does the same as the synchronous form.
///
/// ```swift
/// enum CurrencyKey: DependencyKey {
///     static var defaultValue: String { "EUR" }
/// }
/// await withDependencies {
///     $0[CurrencyKey.self] = "SEK"
/// } operation: {
///     await Task.yield()
/// }
/// ```
///
/// - Parameters:
///   - update: Sets the values.
///   - operation: The closure to run.
/// - Returns: The result of the closure.
/// - Throws: The errors of both closures.
/// - Complexity: One container, one task-local binding, and the values.
/// - Note: Concurrency. Only the current task, and the tasks that it starts meanwhile, see the values.
public func withDependencies<Output>(
    _ update: (inout DependencyValues) throws -> Void, isolation: isolated (any Actor)? = #isolation,
    operation: () async throws -> Output
) async rethrows -> Output {
    let container = DependencyContainer.current.makeChild()
    var values = DependencyValues(container)
    try update(&values)
    return try await DependencyContainer.$shared.withValue(container, operation: operation, isolation: isolation)
}
