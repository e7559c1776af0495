import Hopoate
public import Testing

/// Records the calls of a function, with their arguments.
///
/// ```swift
/// struct GreeterSpy: Greeter {
///     let names = Spy<String>("Greeter.greeting")
///     func greeting(for name: String) -> String {
///         names.record(name)
///         return "Hello."
///     }
/// }
/// let greeter = MockContainer<any Greeter, GreeterSpy>(GreeterSpy())
/// _ = resolve((any Greeter).self).greeting(for: "Grace")
/// #expect(greeter.mock.names.calls == ["Grace"])
/// ```
///
/// The type parameter is that of the argument, or a tuple of several ones. A ``MockContainer`` counts how often a service is resolved.
///
/// - Note: Concurrency. Thread-safe. The calls are in the order in which they were recorded.
public final class Spy<Arguments: Sendable>: Sendable {
    private let name: String
    private let recorded = Locked<[Arguments]>([])

    /// Makes a spy without calls.
    ///
    /// - Parameter name: The name of the function, for messages.
    /// - Complexity: Constant.
    public init(_ name: String = "the function") {
        self.name = name
    }

    /// Adds a call.
    ///
    /// - Parameter arguments: The arguments of the call.
    /// - Complexity: Constant on average.
    public func record(_ arguments: Arguments) { recorded.withLock { $0.append(arguments) } }

    /// The arguments of all calls.
    public var calls: [Arguments] { recorded.withLock { $0 } }

    /// Returns a function that records its calls and does the same as another one.
    ///
    /// ```swift
    /// let spy = Spy<(Int, Int)>("add")
    /// let add = spy.recording { (one: Int, other: Int) in one + other }
    /// #expect(add(3, 4) == 7)
    /// #expect(spy.calls.first! == (3, 4))
    /// ```
    ///
    /// - Parameter function: The function to call.
    /// - Returns: A function of the same type.
    /// - Complexity: Constant.
    public func recording<each Argument, Output>(
        _ function: @escaping @Sendable (repeat each Argument) -> Output
    ) -> @Sendable (repeat each Argument) -> Output where Arguments == (repeat each Argument) {
        { (argument: repeat each Argument) in
            self.record((repeat each argument))
            return function(repeat each argument)
        }
    }

    /// Returns a function that records its calls and does the same as another one, which may throw.
    ///
    /// - Parameter function: The function to call.
    /// - Returns: A function of the same type.
    /// - Complexity: Constant.
    public func recording<each Argument, Output>(
        _ function: @escaping @Sendable (repeat each Argument) throws -> Output
    ) -> @Sendable (repeat each Argument) throws -> Output where Arguments == (repeat each Argument) {
        { (argument: repeat each Argument) in
            self.record((repeat each argument))
            return try function(repeat each argument)
        }
    }

    /// Returns a function that records its calls and does the same as another one, which suspends.
    ///
    /// - Parameter function: The function to call.
    /// - Returns: A function of the same type.
    /// - Complexity: Constant.
    public func recording<each Argument, Output>(
        _ function: @escaping @Sendable (repeat each Argument) async throws -> Output
    ) -> @Sendable (repeat each Argument) async throws -> Output where Arguments == (repeat each Argument) {
        { (argument: repeat each Argument) in
            self.record((repeat each argument))
            return try await function(repeat each argument)
        }
    }

    /// Records a test failure if there was no call, or not as many as `times` says.
    ///
    /// ```swift
    /// let spy = Spy<String>("Log.write")
    /// spy.record("Hello.")
    /// spy.expectCalled(times: 1)
    /// ```
    ///
    /// - Parameters:
    ///   - times: The exact number of calls; nil for at least one.
    ///   - sourceLocation: The place of the failure.
    /// - Complexity: Constant; linear in the number of calls if the test fails.
    /// - Note: Concurrency. The failure is recorded for the test of the calling task.
    public func expectCalled(times: Int? = nil, sourceLocation: SourceLocation = #_sourceLocation) {
        let calls = calls
        if times.map({ $0 == calls.count }) ?? !calls.isEmpty { return }
        Issue.record(
            Comment(rawValue: wrongCallsMessage(name, wanted: times, calls.map { "\($0)" })),
            sourceLocation: sourceLocation)
    }
}
