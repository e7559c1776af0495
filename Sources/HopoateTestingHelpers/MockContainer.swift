import Foundation
public import Hopoate
public import Testing

/// Registers a mock as long as this object exists.
///
/// ```swift
/// let mock = MockContainer<any Greeter, GreeterMock>(GreeterMock())
/// mock.mock.answer = "Hello."
/// // resolve((any Greeter).self) is the mock, until `mock` goes out of scope.
/// ```
///
/// The first type parameter is the type to register under. The second one is the type of the mock, so that a test can configure
/// and inspect it. This object counts how often the mock is resolved:
///
/// ```swift
/// let mock = MockContainer<any Greeter, GreeterMock>(GreeterMock())
/// _ = resolve((any Greeter).self)
/// mock.expectResolved(times: 1)
/// ```
///
/// - Note: Concurrency. Registering, removing and counting are thread-safe. If several threads share one object, the subclass and
///   the mock must be thread-safe too.
open class MockContainer<Type, Mock> {
    /// The mock, as its own type.
    public let mock: Mock

    private let container: DependencyContainer
    private let registration: ServiceRegistration<Type>
    private let count: Count

    /// Registers a mock.
    ///
    /// ```swift
    /// let mock = MockContainer<any Greeter, GreeterMock>(GreeterMock(), container: .shared)
    /// ```
    ///
    /// - Parameters:
    ///   - mock: The mock. If it is not a `Mock`, the initializer traps with a message that names both types.
    ///   - container: The container to register it in.
    /// - Complexity: That of `DependencyContainer.register(_:for:)`.
    public init(_ mock: Type, container: DependencyContainer = .shared) {
        guard let typed = mock as? Mock else {
            fatalError(wrongMockMessage(registered: Type.self, wanted: Mock.self, got: type(of: mock as Any)))
        }
        self.mock = typed
        self.container = container
        let count = Count()
        self.count = count
        // A factory closure, so that each resolve call runs it. It must not capture this object, which would then never be freed.
        registration = container.register(unchecked: Type.self, lifetime: .transient) { _ in
            count.add()
            return mock
        }
    }

    /// How often the mock was resolved, in any way, borrowing included. A property wrapper resolves once.
    public var resolveCount: Int { count.current }

    /// Records a test failure if the mock was not resolved, or not as often as `times` says.
    ///
    /// ```swift
    /// let mock = MockContainer<any Greeter, GreeterMock>(GreeterMock())
    /// _ = resolve((any Greeter).self)
    /// mock.expectResolved()
    /// ```
    ///
    /// - Parameters:
    ///   - times: The exact number of resolve calls; nil for at least one.
    ///   - sourceLocation: The place of the failure.
    /// - Complexity: Constant.
    /// - Note: Concurrency. The failure is recorded for the test of the calling task.
    public func expectResolved(times: Int? = nil, sourceLocation: SourceLocation = #_sourceLocation) {
        let count = resolveCount
        if times.map({ $0 == count }) ?? (count > 0) { return }
        Issue.record(
            Comment(rawValue: wrongCountMessage(mock: Type.self, wanted: times, got: count)),
            sourceLocation: sourceLocation)
    }

    deinit {
        container.remove(registration)
    }
}

/// A thread-safe counter.
// Unchecked, because of the variable. Sound, because it is accessed under the lock only.
private final class Count: @unchecked Sendable {
    private let lock = NSLock()
    private var count = 0

    func add() { lock.withLock { count += 1 } }

    var current: Int { lock.withLock { count } }
}
