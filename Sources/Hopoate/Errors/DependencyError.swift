/// The reason why a service cannot be resolved or registered.
///
/// ```swift
/// do {
///     let greeter = try container.require((any Greeter).self)
///     print(greeter.greeting(for: "Grace"))
/// } catch {
///     print(error)  // the failure, the type, the place of the call, the dependency chain and the remedy
/// }
/// ```
///
/// A trap prints the same text. <doc:Errors> lists all messages.
///
/// - Note: Concurrency. Immutable and thread-safe.
public struct DependencyError: Error, Sendable {
    /// The kind of a failure.
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

        /// No registration for the type, the name and the types of the arguments.
        public static let notRegistered = Reason(.notRegistered)
        /// The service depends on itself.
        public static let circular = Reason(.circular)
        /// A service that all callers share would keep a service of one request scope.
        public static let captive = Reason(.captive)
        /// Creations are nested so deeply that the stack of the thread is nearly used up.
        public static let tooDeep = Reason(.tooDeep)
        /// The factory threw an error; see ``DependencyError/underlying``.
        public static let creationFailed = Reason(.creationFailed)
        /// The factory is asynchronous and the instance does not exist yet; only `asyncResolve` and `warmUp` create it.
        public static let onlyAsynchronous = Reason(.onlyAsynchronous)
        /// The task was cancelled while it waited for the instance. The creation continues.
        public static let cancelled = Reason(.cancelled)
        /// The container is shutting down or was shut down.
        public static let shutDown = Reason(.shutDown)
        /// The container is sealed.
        public static let sealed = Reason(.sealed)
        /// The container of a handle no longer exists.
        public static let containerGone = Reason(.containerGone)
        /// The registration or the `resolve` call cannot work.
        public static let invalid = Reason(.invalid)
    }

    /// The call that failed, as the first words of the message.
    enum Action {
        case resolve, borrowNoncopyable, register, decorate, install, checkHealth

        /// Begins a message.
        func heading(_ identity: ServiceIdentity, at callSite: CallSite?) -> String {
            let place = callSite.map { " at \($0.place)" } ?? ""
            return switch self {
            case .resolve, .borrowNoncopyable: "Cannot resolve '\(identity)'\(place): "
            case .register: "Cannot register '\(identity)'\(place): "
            case .decorate: "Cannot decorate '\(identity)'\(place): "
            case .install: "Cannot install '\(identity)': "
            case .checkHealth: "Cannot check the health of '\(identity)'\(place): "
            }
        }
    }

    // A class, so that an error is one word: a function that may throw it costs no more than a function that may not.
    private final class Contents: Sendable {
        let reason: Reason
        let identity: ServiceIdentity
        let chain: [ServiceIdentity]
        let underlying: (any Error)?
        let text: Text
        let action: Action
        /// The innermost call whose place is known.
        let callSite: CallSite?
        /// The places of the registrations in the chain.
        let registered: RegisteredPlaces?

        init(
            _ reason: Reason, _ identity: ServiceIdentity, chain: [ServiceIdentity], underlying: (any Error)?,
            text: Text, action: Action, callSite: CallSite?, registered: RegisteredPlaces?
        ) {
            self.reason = reason
            self.identity = identity
            self.chain = chain
            self.underlying = underlying
            self.text = text
            self.action = action
            self.callSite = callSite
            self.registered = registered
        }
    }

    /// The message after its first words.
    private enum Text: Sendable {
        case written(String)
        /// Written when it is read, because the clients of a server can cause many such errors.
        case missing(MissingService)
    }

    private let contents: Contents

    init(
        _ reason: Reason, _ identity: ServiceIdentity, chain: [ServiceIdentity], underlying: (any Error)? = nil,
        text: String, action: Action = .resolve, at callSite: CallSite? = nil
    ) {
        contents = Contents(
            reason, identity, chain: chain, underlying: underlying, text: .written(text), action: action,
            callSite: callSite?.ifKnown, registered: nil)
    }

    init(_ missing: MissingService, action: Action, at callSite: CallSite?, _ registered: RegisteredPlaces) {
        contents = Contents(
            .notRegistered, missing.identity, chain: missing.chain, underlying: nil, text: .missing(missing),
            action: action, callSite: callSite?.ifKnown, registered: registered)
    }

    /// Returns the error as a resolve call throws it.
    ///
    /// - If the error has no place yet, the result has the place of the call. So an error keeps the place of the innermost call.
    /// - If a shared service needs a service that only the container of the call has, the result says that this is a captive dependency.
    ///
    /// Only failures come here. So the place costs nothing when the service is found.
    @usableFromInline
    @inline(never)
    func thrown(at callSite: CallSite?, in container: DependencyContainer?) -> DependencyError {
        let callSite = callSite?.ifKnown
        if case .missing(let missing) = contents.text, contents.action == .resolve, let container,
            let captor = missing.captor(for: container)
        {
            return DependencyError(
                Contents(
                    .captive, missing.needed, chain: contents.chain.dropLast() + [missing.needed], underlying: nil,
                    text: .written(Self.captiveText(missing.needed, inScopeOf: captor)), action: contents.action,
                    callSite: contents.callSite ?? callSite, registered: contents.registered))
        }
        guard contents.callSite == nil, contents.action == .resolve, callSite != nil || container != nil else {
            return self
        }
        let registered = contents.registered ?? container.map { RegisteredPlaces(contents.chain, in: $0) }
        return DependencyError(
            Contents(
                contents.reason, contents.identity, chain: contents.chain, underlying: contents.underlying,
                text: contents.text, action: contents.action, callSite: callSite, registered: registered))
    }

    private init(_ contents: Contents) {
        self.contents = contents
    }

    /// The kind of the failure.
    public var reason: Reason { contents.reason }

    /// The type and the name of that service.
    package var identity: ServiceIdentity { contents.identity }

    /// The type of the service that cannot be resolved or registered, or of the module that cannot be installed.
    public var service: any Any.Type { contents.identity.type }

    /// The dependency chain, from the outermost service that was being created to the service that failed.
    ///
    /// Each element has the type in full, the types of the arguments and the name. If the reason is ``Reason/circular``, the chain
    /// is the cycle: its first element equals its last.
    public var chain: [String] { contents.chain.map(\.description) }

    /// The error that the factory threw; nil for other reasons than ``Reason/creationFailed``.
    public var underlying: (any Error)? { contents.underlying }
}

extension DependencyError: CustomStringConvertible {
    /// The message: the failure, the type in full, the place, the remedy and the dependency chain.
    public var description: String {
        let heading = contents.action.heading(contents.identity, at: contents.callSite)
        var lines: [String]
        switch contents.text {
        case .written(let text): lines = [heading + text]
        case .missing(let service):
            lines = [heading + service.text(for: contents.action)] + service.hints(for: contents.action)
        }
        // The message of a cycle begins with its chain.
        if contents.reason != .circular { lines += chainLine(contents.chain) }
        lines += contents.registered?.lines ?? []
        return lines.joined(separator: "\n")
    }
}
