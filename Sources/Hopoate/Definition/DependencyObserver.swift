/// Chooses which services to observe, for logs, metrics and traces.
///
/// ```swift
/// struct Slow: DependencyInstrument {
///     func observer(of dependency: ObservedDependency) -> (any DependencyObserver)? {
///         dependency.lifetime.description == "singleton" ? Stopwatch(dependency: dependency) : nil
///     }
/// }
///
/// struct Stopwatch: DependencyObserver {
///     let dependency: ObservedDependency
///
///     func create<Output>(_ factory: () throws -> Output) rethrows -> Output {
///         let start = ContinuousClock.now
///         defer { print("\(dependency) took \(ContinuousClock.now - start)") }
///         return try factory()
///     }
/// }
///
/// container.instrument(with: Slow())
/// ```
///
/// Services without an observer pay nothing when they are resolved. For the cost of an observed service see
/// ``DependencyContainer/instrument(with:)``.
///
/// - Note: Concurrency. The library calls ``observer(of:)`` once per registration, on any thread and without holding a lock.
public protocol DependencyInstrument: Sendable {
    /// Returns the observer of a service that is about to be registered.
    ///
    /// - Parameter dependency: The registration.
    /// - Returns: An observer; nil to leave the service unobserved.
    /// - Complexity: Should be constant: a server may register values for each HTTP request.
    func observer(of dependency: ObservedDependency) -> (any DependencyObserver)?
}

/// Observes one registration. See ``DependencyInstrument``.
///
/// - Note: Concurrency. The library calls an observer on any thread, also on several threads at the same time, and holds no
///   lock meanwhile. An observer may call anything. If it resolves services of an instrumented container, those calls are
///   observed as well.
public protocol DependencyObserver: Sendable {
    /// Runs after a resolve call got the service, new or cached. By default it does nothing.
    ///
    /// - Complexity: Should be constant: it runs in every resolve call for the service.
    func didResolve()

    /// Runs a factory and returns its instance. By default it does nothing else.
    ///
    /// An observer that throws an error of its own fails the creation, as if the factory had thrown it. Tests inject failures in this way.
    ///
    /// - Parameter factory: The factory. Call it exactly once, or throw.
    /// - Returns: The instance that the factory returns.
    /// - Throws: The error of the factory.
    /// - Complexity: That of the factory, and little more.
    func create<Output>(_ factory: () throws -> Output) throws -> Output

    /// Runs an asynchronous factory and returns its instance. By default it does nothing else.
    ///
    /// - Parameters:
    ///   - isolation: The actor to run on; nil for none.
    ///   - factory: The factory. Call it exactly once, or throw.
    /// - Returns: The instance that the factory returns.
    /// - Throws: The error of the factory.
    /// - Complexity: That of the factory, and little more.
    func create<Output>(
        isolation: isolated (any Actor)?, _ factory: () async throws -> Output
    ) async throws -> Output
}

extension DependencyObserver {
    /// The default implementation: does nothing after a resolve call.
    ///
    /// - Complexity: Constant.
    public func didResolve() {}

    /// The default implementation: runs the factory and does nothing else.
    ///
    /// - Parameter factory: The factory.
    /// - Returns: The instance that the factory returns.
    /// - Throws: The error of the factory.
    /// - Complexity: That of the factory.
    public func create<Output>(_ factory: () throws -> Output) rethrows -> Output { try factory() }

    /// The default implementation: runs the factory and does nothing else.
    ///
    /// - Parameters:
    ///   - isolation: The actor to run on; nil for none.
    ///   - factory: The factory.
    /// - Returns: The instance that the factory returns.
    /// - Throws: The error of the factory.
    /// - Complexity: That of the factory.
    public func create<Output>(
        isolation: isolated (any Actor)?, _ factory: () async throws -> Output
    ) async rethrows -> Output {
        try await factory()
    }
}

/// A registration, as an instrument sees it.
///
/// ```swift
/// func label(of dependency: ObservedDependency) -> String { "\(dependency) as \(dependency.lifetime)" }
/// ```
///
/// - Note: Concurrency. Immutable and thread-safe.
public struct ObservedDependency: Sendable, CustomStringConvertible {
    package let identity: ServiceIdentity
    private let requirements: [Requirement]

    /// How long an instance lives, and who shares it.
    public let lifetime: Lifetime
    /// The place of the registration, as `Module/File.swift:12`; nil if it is not known.
    public let place: String?

    init<Service>(
        _ key: ServiceKey<Service>, _ lifetime: Lifetime, _ callSite: CallSite?, _ requirements: [Requirement] = []
    ) {
        identity = key.identity
        self.requirements = requirements
        self.lifetime = lifetime
        place = callSite?.place
    }

    /// The services that the parameters of the initializer may take.
    package var parameters: [ServiceIdentity] {
        requirements.flatMap { sequence(first: $0) { $0.alternative?.value }.map(\.identity) }
    }

    /// The type of the service.
    public var service: any Any.Type { identity.type }

    /// The name of the service; nil for a service without a name.
    public var name: DependencyName? { identity.name }

    /// The types of the arguments, in brackets; nil if the factory takes none.
    public var arguments: String? { identity.arguments }

    /// The type in full, with its arguments and its name.
    ///
    /// - Complexity: O(n) in its length.
    public var description: String { identity.description }
}
