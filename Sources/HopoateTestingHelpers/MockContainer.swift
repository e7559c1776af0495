public import Hopoate

/// Registers a mock for as long as it exists.
///
/// ```swift
/// let mock = MockContainer<any Greeter, GreeterMock>(GreeterMock())
/// mock.mock.answer = "Hello."
/// // resolve((any Greeter).self) is the mock, until `mock` goes out of scope.
/// ```
///
/// The first parameter is the type to register under, the second one the type of the mock, so that a test can set it up and
/// ask it questions. Open for subclassing.
///
/// - Note: Concurrency. Registers and removes from any thread; using one container object from several threads is up to the
///   subclass and the mock.
open class MockContainer<Type, Mock> {
    /// The mock, as its own type.
    public let mock: Mock

    private let container: DependencyContainer
    private let registration: ServiceRegistration<Type>

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
        registration = container.register(mock, for: Type.self)
    }

    deinit {
        container.remove(registration)
    }
}
