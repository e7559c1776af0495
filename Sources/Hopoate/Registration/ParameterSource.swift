/// Says which service or value a parameter of a registered initializer takes.
///
/// ```swift
/// struct Billing {
///     init(greeter: any Greeter, log: any Log, retries: Int, currency: String) {}
/// }
/// container.register(
///     Billing.self, using: Billing.init, taking: .service, .named(.audit), .value(3), .environment(\.currency))
/// ```
///
/// Pass one for each parameter to
/// ``DependencyContainer/register(_:named:lifetime:replacing:fileID:line:using:taking:_:afterCreation:onDispose:onAsyncDispose:)-4qul8``.
///
/// - Note: Concurrency. Immutable and thread-safe.
public struct ParameterSource<Parameter>: Sendable {
    /// The service that the parameter takes; nil for a value.
    let requirement: Requirement?
    let make: @Sendable (DependencyContainer) throws(DependencyError) -> Parameter
    let makeSuspending: @Sendable (DependencyContainer) async throws(DependencyError) -> Parameter

    private init(serviceNamed name: DependencyName?) {
        requirement = Hopoate.requirement(Parameter.self, named: name)
        make = { container throws(DependencyError) in try container.parameter(Parameter.self, named: name) }
        makeSuspending = { container async throws(DependencyError) in
            try await container.asyncParameter(Parameter.self, named: name)
        }
    }

    private init(value: @escaping @Sendable (DependencyContainer) -> Parameter) {
        requirement = nil
        make = { container throws(DependencyError) in value(container) }
        makeSuspending = { container async throws(DependencyError) in value(container) }
    }

    /// The service of the parameter's type, as without `taking:`.
    ///
    /// - Complexity: Constant.
    public static var service: Self { Self(serviceNamed: nil) }

    /// The service of the parameter's type that is registered with a name.
    ///
    /// If the parameter is an optional, an array, a ``LazyDependency`` or a ``DependencyProvider``, the name is that of the service inside.
    ///
    /// Declare the name as a constant: after the first parameter, the compiler takes no literal here.
    ///
    /// - Parameter name: The name that the service is registered with.
    /// - Complexity: Constant.
    public static func named(_ name: DependencyName) -> Self { Self(serviceNamed: name) }

    /// A fixed value, which need not be registered.
    ///
    /// - Parameter value: The argument for each instance.
    /// - Complexity: Constant.
    public static func value(_ value: Parameter) -> Self where Parameter: Sendable { Self(value: { _ in value }) }

    /// The dependency value at a key path, looked up when an instance is created.
    ///
    /// The factory's container looks it up, as `container.values` does.
    ///
    /// - Parameter keyPath: The value; see ``DependencyValues``.
    /// - Complexity: Constant.
    public static func environment(_ keyPath: any KeyPath<DependencyValues, Parameter> & Sendable) -> Self {
        Self(value: { container in container.values[keyPath: keyPath] })
    }
}

/// Returns the dependencies of an initializer whose parameters have these sources.
func requirements<each Parameter>(of sources: repeat ParameterSource<each Parameter>) -> [Requirement] {
    var requirements: [Requirement] = []
    for source in repeat each sources {
        if let requirement = source.requirement { requirements.append(requirement) }
    }
    return requirements
}
