/// Watches what a container hands out and creates: to log it, to count it, to draw it into a trace.
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
///     func create<Output>(_ creator: () throws -> Output) rethrows -> Output {
///         let start = ContinuousClock.now
///         defer { print("\(dependency) took \(ContinuousClock.now - start)") }
///         return try creator()
///     }
/// }
///
/// container.instrument(with: Slow())
/// ```
///
/// A container that has none costs nothing for it: what is not observed takes the same path as ever.
///
/// - Note: Concurrency. Called from any thread, with nothing locked.
public protocol DependencyInstrument: Sendable {
    /// Says who observes a service that is about to be registered.
    ///
    /// - Parameter dependency: What is registered.
    /// - Returns: An observer; nil where the service is of no interest: then it costs nothing.
    /// - Complexity: Should be constant: a server may register values in each request.
    /// - Note: Concurrency. Called from any thread, with nothing locked.
    func observer(of dependency: ObservedDependency) -> (any DependencyObserver)?
}

/// Observes one registration. See ``DependencyInstrument``.
///
/// - Note: Concurrency. Called from any thread, also from several at once, with nothing locked. It may call anything, but what it
///   asks an instrumented container for is observed in its turn.
public protocol DependencyObserver: Sendable {
    /// Somebody asked for the service and got it, newly created or not. By default, nothing is done.
    ///
    /// - Complexity: Should be constant: it is a part of every request.
    /// - Note: Concurrency. Called from any thread, also from several at once.
    func didResolve()

    /// Runs a creator. By default, that is all.
    ///
    /// - Parameter creator: What to run: exactly once.
    /// - Returns: What the creator returns.
    /// - Throws: What the creator throws.
    /// - Complexity: The creator, and little more.
    /// - Note: Concurrency. Called from any thread, also from several at once.
    func create<Output>(_ creator: () throws -> Output) rethrows -> Output

    /// Runs a creator that suspends. By default, that is all.
    ///
    /// - Parameters:
    ///   - isolation: The actor to run it on; nil for none.
    ///   - creator: What to run: exactly once.
    /// - Returns: What the creator returns.
    /// - Throws: What the creator throws.
    /// - Complexity: The creator, and little more.
    /// - Note: Concurrency. Called from any thread, also from several at once.
    func create<Output>(
        isolation: isolated (any Actor)?, _ creator: () async throws -> Output
    ) async rethrows -> Output
}

extension DependencyObserver {
    /// Does nothing.
    ///
    /// - Complexity: Constant.
    /// - Note: Concurrency. From any thread.
    public func didResolve() {}

    /// Runs the creator.
    ///
    /// - Parameter creator: What to run.
    /// - Returns: What the creator returns.
    /// - Throws: What the creator throws.
    /// - Complexity: The creator.
    /// - Note: Concurrency. From any thread.
    public func create<Output>(_ creator: () throws -> Output) rethrows -> Output { try creator() }

    /// Runs the creator.
    ///
    /// - Parameters:
    ///   - isolation: The actor to run it on; nil for none.
    ///   - creator: What to run.
    /// - Returns: What the creator returns.
    /// - Throws: What the creator throws.
    /// - Complexity: The creator.
    /// - Note: Concurrency. From any task.
    public func create<Output>(
        isolation: isolated (any Actor)?, _ creator: () async throws -> Output
    ) async rethrows -> Output {
        try await creator()
    }
}

/// A registration, as those who observe it see it.
///
/// ```swift
/// func label(of dependency: ObservedDependency) -> String { "\(dependency) as \(dependency.lifetime)" }
/// ```
///
/// - Note: Concurrency. Immutable; from any thread.
public struct ObservedDependency: Sendable, CustomStringConvertible {
    let identity: ServiceIdentity

    /// How long the service lives, and who shares it.
    public let lifetime: Lifetime
    /// Where it is registered, as `Module/File.swift:12`; nil where that is a place that cannot be named.
    public let place: String?

    init<Service>(_ key: ServiceKey<Service>, _ lifetime: Lifetime, _ callSite: CallSite?) {
        identity = key.identity
        self.lifetime = lifetime
        place = callSite?.place
    }

    /// The type that it is registered under.
    ///
    /// - Complexity: Constant.
    /// - Note: Concurrency. From any thread.
    public var service: any Any.Type { identity.type }

    /// The name that it is registered with; nil for one without.
    ///
    /// - Complexity: Constant.
    /// - Note: Concurrency. From any thread.
    public var name: DependencyName? { identity.name }

    /// The types of the arguments that its creator takes, in brackets; nil where it takes none.
    ///
    /// - Complexity: Constant.
    /// - Note: Concurrency. From any thread.
    public var arguments: String? { identity.arguments }

    /// The type in full, the arguments, the name.
    ///
    /// - Complexity: Linear in its length.
    /// - Note: Concurrency. From any thread.
    public var description: String { identity.description }
}
