/// A service that code outside the container resolves, such as the controller of a route.
///
/// ```swift
/// let root = DependencyRoot((any Paying).self, neededBy: "POST /orders")
/// try container.validate(roots: [root])
/// ```
///
/// No factory declares that it needs such a service, so validation cannot know it. Pass it to
/// ``DependencyContainer/validate(_:roots:prepare:)``, which then requires its registration.
///
/// - Note: Concurrency. Immutable and thread-safe.
public struct DependencyRoot: Sendable {
    let identity: ServiceIdentity
    private let callSite: CallSite

    /// What needs the service, such as a route; nil if the root was created without it.
    public let neededBy: String?

    /// Whether the code resolves the service with a synchronous call.
    public let isSynchronous: Bool

    /// Creates a root.
    ///
    /// ```swift
    /// let root = DependencyRoot((any Greeter).self, named: "formal", neededBy: "GET /greetings/:id")
    /// ```
    ///
    /// - Parameters:
    ///   - serviceType: The type that the service is resolved as.
    ///   - name: The name of the service; nil for a service without a name.
    ///   - neededBy: What needs the service, for the messages of findings. Without it, they show the type and the place of this call.
    ///   - isSynchronous: Whether the code resolves the service with a synchronous call, such as `resolve`. Then strict validation finds the
    ///     dependencies that such a call cannot create.
    /// - Complexity: Constant.
    public init<Service: ~Copyable>(
        _ serviceType: Service.Type, named name: DependencyName? = nil, neededBy: String? = nil,
        isSynchronous: Bool = false, fileID: StaticString = #fileID, line: UInt = #line
    ) {
        identity = withExtendedLifetime(name) { ServiceKey<Service>(named: name).identity }
        callSite = CallSite(fileID, line)
        self.neededBy = neededBy
        self.isSynchronous = isSynchronous
    }

    /// The type of the service.
    public var service: any Any.Type { identity.type }

    /// The name of the service; nil for a service without a name.
    public var name: DependencyName? { identity.name }

    /// The place where the root was created, as `Module/File.swift:12`; nil if it is not known.
    public var place: String? { callSite.ifKnown?.place }

    /// The root in messages.
    var label: String {
        let subject = neededBy.map { "'\($0)'" } ?? "the root '\(identity)'"
        return subject + (place.map { " at \($0)" } ?? "")
    }
}
