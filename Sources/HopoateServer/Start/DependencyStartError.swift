public import Hopoate

/// The singletons that a warm-up could not create, and those that it left behind. All others exist.
///
/// ```swift
/// do {
///     try await container.warmUp(limit: .seconds(30))
/// } catch {
///     for creation in error.unfinished { print(creation) }
///     // 'App.Orders', registered at App/Main.swift:12: not created after 30.0 seconds: 'App.Orders' → 'App.Database'
/// }
/// ```
///
/// - Note: Concurrency. Immutable and thread-safe.
@available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
public struct DependencyStartError: Error, Sendable, CustomStringConvertible {
    /// A failed creation of a singleton.
    public struct Failure: Sendable, CustomStringConvertible {
        private let identity: ServiceIdentity
        /// The place of the registration, as `Module/File.swift:12`; nil if it is not known.
        public let place: String?
        /// The error of the creation.
        public let error: DependencyError

        init(_ registration: AnyServiceRegistration, _ error: DependencyError) {
            identity = registration.identity
            place = registration.place
            self.error = error
        }

        /// The type of the service.
        public var service: any Any.Type { identity.type }

        /// The name of the service; nil for a service without a name.
        public var name: DependencyName? { identity.name }

        /// The type in full, the name, the place, and the error.
        ///
        /// - Complexity: O(n) in its length.
        public var description: String { "'\(identity)'\(registered(at: place)): \(indented("\(error)"))" }
    }

    /// A creation that did not end within its limit, or before the warm-up was cancelled. It was cancelled, and may still run.
    public struct Unfinished: Sendable, CustomStringConvertible {
        private let identities: [ServiceIdentity]
        /// The place of the registration, as `Module/File.swift:12`; nil if it is not known.
        public let place: String?
        /// The time after which the creation was left behind.
        public let duration: Duration

        init(_ registration: AnyServiceRegistration, _ chain: [ServiceIdentity], _ duration: Duration) {
            identities = chain
            place = registration.place
            self.duration = duration
        }

        /// The type of the service.
        public var service: any Any.Type { identities[0].type }

        /// The name of the service; nil for a service without a name.
        public var name: DependencyName? { identities[0].name }

        /// The services that the creation was creating or waiting for, beginning with the service itself.
        ///
        /// Each element has the type in full and the name. The last one is the service whose factory did not return.
        public var chain: [String] { identities.map(\.description) }

        /// One line with the type in full, the name, the place, the time, and the chain if there is more than the service itself.
        ///
        /// - Complexity: O(n) in its length.
        public var description: String {
            let chain = identities.count > 1 ? ": \(arrows(identities))" : ""
            return "'\(identities[0])'\(registered(at: place)): not created after \(StoredDuration(duration))\(chain)"
        }
    }

    /// The singletons whose creation failed, in the order of their registration.
    ///
    /// A singleton that failed only because of another one is not among them, and neither is one that was not tried.
    public let failures: [Failure]

    /// The creations that were left behind, in the order in which this happened.
    public let unfinished: [Unfinished]

    /// Whether the task of the warm-up was cancelled.
    public let isCancelled: Bool

    init(_ failures: [Failure], _ unfinished: [Unfinished], isCancelled: Bool) {
        self.failures = failures
        self.unfinished = unfinished
        self.isCancelled = isCancelled
    }

    /// The creations that were left behind, and the errors of all that failed, one per line.
    ///
    /// - Complexity: O(n) in the number of creations.
    public var description: String {
        var lines: [String] = isCancelled ? ["The warm-up was cancelled."] : []
        if !unfinished.isEmpty {
            let count = unfinished.count == 1 ? "1 service" : "\(unfinished.count) services"
            let remedy = "Let a factory end when its task is cancelled, or raise the limit"
            lines.append(isCancelled ? "Left behind:" : "The warm-up ended without \(count). \(remedy):")
            lines += unfinished.map { "  \($0)" }
        }
        if !failures.isEmpty {
            let count = failures.count == 1 ? "1 service" : "\(failures.count) services"
            lines.append("The warm-up could not create \(count):")
            lines += failures.map { "  \($0)" }
        }
        return lines.joined(separator: "\n")
    }
}

/// The lines of a message, indented after the first one.
private func indented(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\n  ")
}
