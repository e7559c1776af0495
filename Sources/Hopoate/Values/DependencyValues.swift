/// What identifies a value of the environment, and what the value is where nobody set one.
///
/// ```swift
/// enum CurrencyKey: DependencyKey {
///     static var defaultValue: String { "EUR" }
/// }
/// ```
///
/// See ``DependencyValues``.
///
/// - Note: Concurrency. The default is asked for on whichever threads read the value, with nothing locked.
public protocol DependencyKey {
    /// The type of the value.
    associatedtype Value

    /// The value where nobody set one. Asked for each time, so make it a stored property where that matters.
    ///
    /// - Complexity: The key's own.
    /// - Note: Concurrency. From any thread, with nothing locked.
    static var defaultValue: Value { get }
}

/// The values of the environment that a container has: by key, each with a default, and set for a container or a task.
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
///     print(Price().currency)  // SEK, here and in the tasks that are started here
/// }
/// ```
///
/// A container that has no value of its own has that of its parent, and so on, and at last the default. What is set in a child
/// is seen there only.
///
/// It is a view: it holds nothing but its container, and what is set through it is set there.
///
/// - Note: Concurrency. From any thread. A value that is set appears at once and whole. Values need not be `Sendable`: whether
///   one bears to be used by several threads is a matter between it and them.
public struct DependencyValues: Sendable {
    let container: DependencyContainer

    init(_ container: DependencyContainer) {
        self.container = container
    }

    /// The value of a key: the one that is set in the container or the nearest of its parents, or else the default.
    ///
    /// ```swift
    /// enum CurrencyKey: DependencyKey {
    ///     static var defaultValue: String { "EUR" }
    /// }
    /// container.values[CurrencyKey.self] = "USD"
    /// ```
    ///
    /// Setting replaces what was set in this container before. In a container that is sealed or shut down it ends the process,
    /// as registering does.
    ///
    /// - Parameter key: The key.
    /// - Complexity: Constant for each container on the way; no lock. Setting waits for the lookups under way, a few nanoseconds
    ///   each.
    /// - Note: Concurrency. From any thread.
    public subscript<Key: DependencyKey>(key: Key.Type) -> Key.Value {
        get { container.findOrFail(ServiceKey<EnvironmentValue<Key>>())?.value ?? Key.defaultValue }
        nonmutating set {
            _ = container.add(
                ServiceRegistration(ServiceKey(), .instance(EnvironmentValue<Key>(newValue)), callSite: nil),
                replacing: true)
        }
    }

    /// Takes the value out that is set in this container, if one is: the parents' or the default is seen again.
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
    /// - Complexity: As setting one.
    /// - Note: Concurrency. From any thread. A value that another thread sets meanwhile may stay.
    public func removeValue<Key: DependencyKey>(for key: Key.Type) {
        if let registration = container.registry.newest(ServiceKey<EnvironmentValue<Key>>()) {
            container.remove(registration)
        }
    }
}

/// A value as a container holds it: a service of a type that only its key has.
struct EnvironmentValue<Key: DependencyKey> {
    let value: Key.Value

    init(_ value: Key.Value) {
        self.value = value
    }
}

extension DependencyContainer {
    /// The values of the environment, as this container has them.
    ///
    /// ```swift
    /// enum CurrencyKey: DependencyKey {
    ///     static var defaultValue: String { "EUR" }
    /// }
    /// print(container.values[CurrencyKey.self])
    /// ```
    ///
    /// It can be assigned to, so that values whose setters are mutating can be set as well: `container.values.currency = "USD"`.
    /// Only the values of this very container can be: those of another one end the process.
    ///
    /// - Complexity: Constant.
    /// - Note: Concurrency. From any thread.
    public var values: DependencyValues {
        get { DependencyValues(self) }
        set {
            if newValue.container !== self {
                failInvalid(
                    ServiceKey<DependencyValues>(), nil,
                    "are those of another container and cannot be put in the place of these: set them one by one")
            }
        }
    }
}

/// Runs a closure with other values of the environment.
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
/// ``DependencyContainer/shared`` is in the closure a child of the one that it was outside, with the values set in that child:
/// what it holds is found as before, and what is registered inside is gone at the end.
///
/// - Parameters:
///   - update: Sets the values.
///   - operation: What to run.
/// - Returns: What the closure returns.
/// - Throws: What the closures throw.
/// - Complexity: One container, one task-local binding, and the values.
/// - Note: Concurrency. Only the current task, and the tasks it starts meanwhile, see the values.
public func withDependencies<Output>(
    _ update: (inout DependencyValues) throws -> Void, operation: () throws -> Output
) rethrows -> Output {
    let container = DependencyContainer.current.makeChild()
    var values = DependencyValues(container)
    try update(&values)
    return try DependencyContainer.$shared.withValue(container, operation: operation)
}

/// Runs an asynchronous closure with other values of the environment.
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
///   - isolation: The actor to run the closure on, which is the caller's; filled in by the compiler.
///   - operation: What to run.
/// - Returns: What the closure returns.
/// - Throws: What the closures throw.
/// - Complexity: One container, one task-local binding, and the values.
/// - Note: Concurrency. Only the current task, and the tasks it starts meanwhile, see the values.
public func withDependencies<Output>(
    _ update: (inout DependencyValues) throws -> Void, isolation: isolated (any Actor)? = #isolation,
    operation: () async throws -> Output
) async rethrows -> Output {
    let container = DependencyContainer.current.makeChild()
    var values = DependencyValues(container)
    try update(&values)
    return try await DependencyContainer.$shared.withValue(container, operation: operation, isolation: isolation)
}
