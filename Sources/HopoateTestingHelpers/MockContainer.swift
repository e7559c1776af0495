import Foundation
public import Hopoate
public import Testing

/// Registers a mock for as long as it exists.
///
/// ```swift
/// let mock = MockContainer<any Greeter, GreeterMock>(GreeterMock())
/// mock.mock.answer = "Hello."
/// // resolve((any Greeter).self) is the mock, until `mock` goes out of scope.
/// ```
///
/// The first parameter is the type to register under, the second one the type of the mock, so that a test can set it up and
/// ask it questions. Open for subclassing. It counts how often it is resolved:
///
/// ```swift
/// let mock = MockContainer<any Greeter, GreeterMock>(GreeterMock())
/// _ = resolve((any Greeter).self)
/// mock.expectResolved(times: 1)
/// ```
///
/// - Note: Concurrency. Registers and removes from any thread; using one container object from several threads is up to the
///   subclass and the mock.
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
    ///   - mock: The mock. Where it is not a `Mock`, the process ends with a message that names both types.
    ///   - container: Where to register it.
    /// - Complexity: As `DependencyContainer.register(_:for:)`.
    /// - Note: Concurrency. From any thread.
    public init(_ mock: Type, container: DependencyContainer = .shared) {
        guard let typed = mock as? Mock else {
            fatalError(wrongMockMessage(registered: Type.self, wanted: Mock.self, got: type(of: mock as Any)))
        }
        self.mock = typed
        self.container = container
        let count = Count()
        self.count = count
        // A creator, so that each request passes here. It holds nothing of this object, which would never end then.
        registration = container.register(service: Type.self, cacheService: false) {
            count.add()
            return mock
        }
    }

    /// How often the mock was resolved, in whatever way: kept, borrowed, or by a wrapper, which asks once.
    ///
    /// - Complexity: Constant.
    /// - Note: Concurrency. From any thread.
    public var resolveCount: Int { count.current }

    /// Insists that the mock was resolved.
    ///
    /// ```swift
    /// let mock = MockContainer<any Greeter, GreeterMock>(GreeterMock())
    /// _ = resolve((any Greeter).self)
    /// mock.expectResolved()
    /// ```
    ///
    /// - Parameters:
    ///   - times: How often exactly; nil for at least once.
    ///   - sourceLocation: Where the failure is shown; filled in by the compiler.
    /// - Complexity: Constant.
    /// - Note: Concurrency. From any thread. A failure is recorded for the test of the calling task.
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

/// Counts from any thread.
// Unchecked, because of the variable. Sound, because it is used under the lock only.
private final class Count: @unchecked Sendable {
    private let lock = NSLock()
    private var count = 0

    func add() { lock.withLock { count += 1 } }

    var current: Int { lock.withLock { count } }
}
