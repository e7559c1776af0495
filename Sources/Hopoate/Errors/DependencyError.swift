/// Why a service could not be had.
///
/// ```swift
/// do {
///     let greeter = try container.require((any Greeter).self)
///     print(greeter.greeting(for: "Grace"))
/// } catch {
///     print(error)  // what is missing, who asked for it, and what to do
/// }
/// ```
///
/// Printing it gives the same text with which a trap ends the process: what happened, with the type in full, where it was
/// asked for, in whose course, and what to do about it.
///
/// - Note: Concurrency. Immutable; from any thread.
public struct DependencyError: Error, Sendable {
    /// What kind of failure it is.
    public struct Reason: Sendable, Hashable {
        enum Kind {
            case notRegistered, circular, captive, tooDeep, creationFailed, onlyAsynchronous, cancelled, shutDown,
                sealed,
                containerGone, invalid
        }
        let kind: Kind

        private init(_ kind: Kind) {
            self.kind = kind
        }

        /// Nothing is registered for what was asked.
        public static let notRegistered = Reason(.notRegistered)
        /// The creation of the service asked, by way of others, for the service itself.
        public static let circular = Reason(.circular)
        /// A service that all callers share would keep one that belongs to a request scope.
        public static let captive = Reason(.captive)
        /// Creations are nested so deep that the stack of the thread is nearly used up.
        public static let tooDeep = Reason(.tooDeep)
        /// The creator threw; see ``DependencyError/underlying``.
        public static let creationFailed = Reason(.creationFailed)
        /// The service is created asynchronously and does not exist yet: only `asyncResolve` and `warmUp` can make it.
        public static let onlyAsynchronous = Reason(.onlyAsynchronous)
        /// The task that waited for the creation was cancelled. The creation goes on.
        public static let cancelled = Reason(.cancelled)
        /// The container is shutting down, or has.
        public static let shutDown = Reason(.shutDown)
        /// The container was sealed.
        public static let sealed = Reason(.sealed)
        /// The container that a handle belonged to does not exist any more.
        public static let containerGone = Reason(.containerGone)
        /// What was to be registered cannot work.
        public static let invalid = Reason(.invalid)
    }

    // One word, so that a function that may throw it costs no more than one that may not.
    private final class Contents: Sendable {
        let reason: Reason
        let identity: ServiceIdentity
        let chain: [ServiceIdentity]
        let underlying: (any Error)?
        let text: Text

        init(
            _ reason: Reason, _ identity: ServiceIdentity, chain: [ServiceIdentity], underlying: (any Error)?,
            text: Text
        ) {
            self.reason = reason
            self.identity = identity
            self.chain = chain
            self.underlying = underlying
            self.text = text
        }
    }

    /// The message. That of a missing service is written when somebody reads it: clients of a server can cause many such errors.
    private enum Text: Sendable {
        case written(String)
        case missing(MissingService)
    }

    private let contents: Contents

    init(
        _ reason: Reason, _ identity: ServiceIdentity, chain: [ServiceIdentity], underlying: (any Error)? = nil,
        text: String
    ) {
        contents = Contents(reason, identity, chain: chain, underlying: underlying, text: .written(text))
    }

    init(_ missing: MissingService) {
        contents = Contents(
            .notRegistered, missing.identity, chain: missing.chain, underlying: nil, text: .missing(missing))
    }

    /// What kind of failure it is.
    ///
    /// - Complexity: Constant.
    /// - Note: Concurrency. From any thread.
    public var reason: Reason { contents.reason }

    /// The type of the service that could not be had.
    ///
    /// - Complexity: Constant.
    /// - Note: Concurrency. From any thread.
    public var service: any Any.Type { contents.identity.type }

    /// What was being created, from the outermost request to the service that could not be had; each with its type in full,
    /// its arguments and its name. Where the reason is ``Reason/circular``, the first is the last.
    ///
    /// - Complexity: Linear in its length.
    /// - Note: Concurrency. From any thread.
    public var chain: [String] { contents.chain.map(\.description) }

    /// What the creator threw, where it was that.
    ///
    /// - Complexity: Constant.
    /// - Note: Concurrency. From any thread.
    public var underlying: (any Error)? { contents.underlying }
}

extension DependencyError: CustomStringConvertible {
    /// The whole text.
    ///
    /// - Complexity: Constant.
    /// - Note: Concurrency. From any thread.
    public var description: String {
        switch contents.text {
        case .written(let text): text
        case .missing(let service): service.message
        }
    }
}
