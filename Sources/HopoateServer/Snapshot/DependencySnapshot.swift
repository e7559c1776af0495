import Hopoate

/// A container and its parents at one time, as plain data: for a page, a file, or a comparison.
///
/// ```swift
/// container.register(Polite(), for: (any Greeter).self)
/// let snapshot = container.snapshot()
/// print(snapshot.registrations[0].service, snapshot.json)
/// ```
///
/// A snapshot contains the names of types and services and the places of registrations. It never contains an instance, the
/// description of an instance, or an argument.
///
/// - Note: Concurrency. Immutable. It describes the container at the time when it was made.
public struct DependencySnapshot: Codable, Sendable, Hashable {
    /// A registration.
    public struct Registration: Codable, Sendable, Hashable {
        /// The index of this registration in ``DependencySnapshot/registrations``.
        public let id: Int
        /// The type of the service, in full.
        public let type: String
        /// The name of the service; nil for a service without a name.
        public let name: String?
        /// The types of the arguments, in brackets; nil if the factory takes none.
        public let arguments: String?
        /// How long an instance lives, and who shares it.
        public let lifetime: String
        /// The callers that share an instance: `instance`, `registration`, `container`, `graph`, `arguments` or `nobody`.
        public let sharing: String
        /// The place of the registration, as `Module/File.swift:12`; nil if it is not known.
        public let place: String?
        /// The level of the container that holds the registration: 0 in the container itself, 1 in its parent.
        public let level: Int
        /// Whether the registration is shadowed by a newer one, or by one in a child.
        public let isShadowed: Bool
        /// Whether a resolve call would find an instance. For a service with arguments: whether one exists for any of their values.
        public let exists: Bool
        /// The dependencies of the factory; nil if they are not known because it is a closure.
        public let dependencies: [Dependency]?
        /// The recorded creations; nil if they are not recorded.
        public let creations: Creations?
    }

    /// A service that a factory resolves.
    public struct Dependency: Codable, Sendable, Hashable {
        /// The type of the service, in full.
        public let type: String
        /// The name of the service; nil for a service without a name.
        public let name: String?
        /// The types of the arguments, in brackets; nil if the factory takes none.
        public let arguments: String?
        /// Whether the service has to be registered, and when it is resolved: a `DependencyNeed` as text.
        public let need: String
        /// Whether the service has to be registered and is not.
        public let isMissing: Bool
        /// The registrations that the factory finds: their ``DependencySnapshot/Registration/id``.
        public let targets: [Int]
    }

    /// The creations of a registration. See ``Hopoate/DependencyContainer/recordCreations()``.
    public struct Creations: Codable, Sendable, Hashable {
        /// The number of runs of the factory that returned an instance.
        public let count: Int
        /// The number of runs of the factory that threw an error.
        public let failures: Int
        /// The creation that ended first; nil if there is none.
        public let first: Creation?
        /// The creation that ended last; nil if there is none.
        public let last: Creation?
        /// The creation that took the longest time, the later one of equals; nil if there is none.
        public let longest: Creation?
    }

    /// One run of a factory.
    public struct Creation: Codable, Sendable, Hashable {
        /// The nanoseconds from the begin of the recording to that of the factory.
        public let start: Int
        /// The nanoseconds that the factory took, with the creation of its dependencies and all waiting.
        public let duration: Int
        /// The services that were being created, outermost first and this one last: each needed the next one. The innermost 16.
        public let chain: [String]
        /// The number of services that were being created, including this one.
        public let depth: Int
    }

    /// The version of the format. A change that breaks readers increments it; new fields do not.
    public let version: Int
    /// The time of the snapshot, in seconds since 1970.
    public let time: Int
    /// The nanoseconds from the begin of the recording to the snapshot; nil if creations are not recorded.
    public let recorded: Int?
    /// The number of living children of this container, with their own children, that were made while it recorded. Nil if it does not
    /// record.
    public let liveChildren: Int?
    /// The number of deferred releases in the whole process. A release is deferred while a thread borrows the object.
    public let deferredReleases: Int
    /// The registrations of the container and its parents, in the order of `registrations`.
    public let registrations: [Registration]

    /// The version of the format of new snapshots.
    public static var currentVersion: Int { 1 }
}

extension DependencySnapshot.Registration {
    /// The type in full, with its arguments and its name. The chains of creations name services in the same way.
    public var service: String { serviceLabel(type, arguments, named: name) }
}

extension DependencySnapshot.Dependency {
    /// The type in full, with its arguments and its name.
    public var service: String { serviceLabel(type, arguments, named: name) }
}
