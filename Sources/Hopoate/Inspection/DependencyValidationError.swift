/// The findings of ``DependencyContainer/validate()``, all at once.
///
/// ```swift
/// do {
///     try container.validate()
/// } catch {
///     print(error)
///     // 1 finding in the registrations:
///     // 1. missing: 'App.Checkout', registered at App/Main.swift:12, needs 'App.Paying', which is not registered. …
/// }
/// ```
///
/// - Note: Concurrency. Immutable and thread-safe.
public struct DependencyValidationError: Error, Sendable {
    /// One finding.
    public struct Finding: Sendable {
        /// The kind of a finding.
        public struct Kind: Sendable, Hashable, CustomStringConvertible {
            enum Word: String, Sendable { case missing, circular, captive }
            let word: Word

            private init(_ word: Word) {
                self.word = word
            }

            /// A dependency is not registered.
            public static let missing = Kind(.missing)
            /// A service depends on itself, directly or through others.
            public static let circular = Kind(.circular)
            /// A captive dependency: a service that all callers share would keep a service that belongs to one container.
            public static let captive = Kind(.captive)

            /// The word for the kind in the list of findings.
            public var description: String { word.rawValue }
        }

        /// The kind of the finding.
        public let kind: Kind
        /// The type of the service with the faulty dependency.
        public let service: any Any.Type
        /// The path from that service to the missing service, to the captive service, or back to itself. Each element has the
        /// type in full, the types of the arguments and the name.
        public let chain: [String]
        /// The place of the registration, as `Module/File.swift:12`; nil if it is not known.
        public let place: String?
        private let text: String

        fileprivate init(
            _ kind: Kind, _ registration: AnyServiceRegistration, _ chain: [ServiceIdentity], _ text: String
        ) {
            self.kind = kind
            service = registration.identity.type
            self.chain = chain.map(\.description)
            place = registration.place
            self.text = text
        }
    }

    /// All findings.
    public let findings: [Finding]

    init(_ findings: [Finding]) {
        self.findings = findings
    }
}

extension DependencyValidationError: CustomStringConvertible {
    /// The number of findings, then a numbered list of them.
    ///
    /// - Complexity: O(n) in its length.
    public var description: String {
        let heading = findings.count == 1 ? "1 finding" : "\(findings.count) findings"
        let lines = findings.enumerated().map { "\($0.offset + 1). \($0.element)" }
        return (["\(heading) in the registrations:"] + lines).joined(separator: "\n")
    }
}

extension DependencyValidationError.Finding: CustomStringConvertible {
    /// The finding, its place, and the remedy.
    public var description: String { "\(kind): \(text)" }
}

// MARK: - Texts

extension DependencyValidationError.Finding {
    /// For a parameter whose service is not registered; with the registrations that may have been meant.
    init(
        missing identity: ServiceIdentity, neededBy registration: AnyServiceRegistration,
        among others: [AnyServiceRegistration]
    ) {
        let near = others.map(\.identity).filter { $0.type == identity.type }
        var text = "\(registration.introduction) needs '\(identity)', which is not registered"
        if !near.isEmpty { text += " (registered: " + near.map { "'\($0)'" }.joined(separator: ", ") + ")" }
        text += ". Register it, or make the parameter optional."
        let usable = others.filter {
            $0.identity.type != identity.type && canBeUsed($0.identity.type, as: identity.type) == true
        }
        for other in usable.prefix(8) {
            let place = other.place.map { " at \($0)" } ?? ""
            let hint = """
                '\(other.identity)' is registered\(place) and can be used as '\(String(reflecting: identity.type))'. Register it \
                with `for: \(metatypeExpression(identity.type))`.
                """
            text += " " + hint
        }
        self.init(.missing, registration, [registration.identity, identity], text)
    }

    // The cycle, each service once.
    init(circular cycle: [AnyServiceRegistration]) {
        let chain = cycle.map(\.identity) + [cycle[0].identity]
        self.init(
            .circular, cycle[0], chain,
            """
            \(cycle[0].introduction) depends on itself: \(arrows(chain)). Break the cycle: let one service take a \
            `LazyDependency` of the other, or set a property in its `afterCreation` closure.
            """)
    }

    // The path leads from the service that would keep the captive one to the captive one.
    init(captive path: [AnyServiceRegistration]) {
        let owningService = path[0]
        let kept = path[path.count - 1]
        self.init(
            .captive, owningService, path.map(\.identity),
            """
            \(owningService.introduction) has the lifetime '\(owningService.lifetimeOfService)' and would keep \
            '\(kept.identity)', which has the lifetime '\(kept.lifetimeOfService)': \(arrows(path.map(\.identity))). Make \
            '\(owningService.identity)' scoped, or give '\(kept.identity)' a lifetime at least as long.
            """)
    }
}

extension AnyServiceRegistration {
    fileprivate var introduction: String { "'\(identity)'" + (place.map { ", registered at \($0)," } ?? "") }
}
