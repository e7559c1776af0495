/// All findings of a validation, as by ``DependencyContainer/validate()``.
///
/// ```swift
/// do {
///     try container.validate()
/// } catch {
///     print(error)
///     // 1 finding in the registrations:
///     // 1. missing: 'App.Checkout', registered at App/Main.swift:12, needs 'any App.Paying', which is not registered. …
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

            /// A dependency or a root is not registered.
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
        /// The type of the service with the faulty dependency, or of the missing root.
        public let service: any Any.Type
        /// The path from that service to the missing service, to the captive service, or back to itself; for a missing root, only the
        /// root. Each element has the type in full, the types of the arguments and the name.
        public let chain: [String]
        /// The place of the registration, or of a missing root, as `Module/File.swift:12`; nil if it is not known.
        public let place: String?
        /// The roots that depend on the service, directly or through others, in the order in which they were passed. Empty without roots.
        public internal(set) var roots: [DependencyRoot] = []
        private let text: String

        fileprivate init(
            _ kind: Kind, _ registration: AnyServiceRegistration, _ chain: [ServiceIdentity], _ text: String
        ) {
            self.init(kind, chain, place: registration.place, text)
        }

        // The chain begins with the faulty service.
        fileprivate init(_ kind: Kind, _ chain: [ServiceIdentity], place: String?, _ text: String) {
            self.kind = kind
            service = chain[0].type
            self.chain = chain.map(\.description)
            self.place = place
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
    /// The finding, its place, and the remedy; then the roots that depend on the service.
    ///
    /// - Complexity: O(n) in its length and in the number of roots.
    public var description: String {
        var seen: Set<String> = []
        let labels = roots.map(\.label).filter { seen.insert($0).inserted }
        return "\(kind): \(text)" + (labels.isEmpty ? "" : " Needed by \(list(labels)).")
    }
}

/// Joins the words of a list; the first three if it is long.
private func list(_ words: [String]) -> String {
    let shown = words.count > 4 ? Array(words.prefix(3)) + ["\(words.count - 3) other roots"] : words
    return ([shown.dropLast().joined(separator: ", ")] + shown.suffix(1)).filter { !$0.isEmpty }.joined(
        separator: " and ")
}

// MARK: - Texts

extension DependencyValidationError.Finding {
    /// For a parameter whose service is not registered; with the registrations that may have been meant.
    init(
        missing identity: ServiceIdentity, neededBy registration: AnyServiceRegistration,
        among others: [AnyServiceRegistration]
    ) {
        let near = Alternatives(to: identity, among: others)
        self.init(
            .missing, registration, [registration.identity, identity],
            """
            \(registration.introduction) needs '\(identity)', which is not registered\(near.names). Register it, or make the \
            parameter optional.\(identity.remedyIfArgument)\(near.hints)
            """)
    }

    /// For a list of services, as a parameter, for which no service is registered.
    init(
        emptyList identity: ServiceIdentity, of element: ServiceIdentity, neededBy registration: AnyServiceRegistration
    ) {
        self.init(
            .missing, registration, [registration.identity, identity],
            """
            \(registration.introduction) needs the list '\(identity)', and no '\(element)' is registered. Register one, or resolve the \
            list in a factory closure with `resolveAll(\(TypeSpelling(element.type).expression))`.\(identity.remedyIfArgument)
            """)
    }

    /// For a root that is not registered; with the registrations that may have been meant.
    init(missing root: DependencyRoot, among others: [AnyServiceRegistration]) {
        let near = Alternatives(to: root.identity, among: others)
        let text = "'\(root.identity)' is not registered\(near.names). Register it.\(near.hints)"
        self.init(.missing, [root.identity], place: root.place, text)
        roots = [root]
    }

    /// The finding for a parameter of a service that is registered in a child container only.
    init(outOfReach identity: ServiceIdentity, neededBy registration: AnyServiceRegistration) {
        self.init(
            .missing, registration, [registration.identity, identity],
            """
            \(registration.introduction) needs '\(identity)', which is registered only in the child container (the request scope). \
            Register it in the container of '\(registration.identity)'.
            """)
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

    // The path leads from the service that would keep the instance to that one.
    init(captiveExpiring path: [AnyServiceRegistration]) {
        let owningService = path[0]
        let kept = path[path.count - 1]
        self.init(
            .captive, owningService, path.map(\.identity),
            """
            \(owningService.introduction) lives longer than '\(kept.identity)', which has the lifetime '\(kept.lifetimeOfService)': \
            \(arrows(path.map(\.identity))). Use a `DependencyProvider` in '\(owningService.identity)', or give '\(kept.identity)' a \
            lifetime at least as long.
            """)
    }

    // The path leads from the shared service to the one that needs the service of a child container.
    init(captive identity: ServiceIdentity, outOfReachOf path: [AnyServiceRegistration]) {
        let owningService = path[0]
        let chain = path.map(\.identity) + [identity]
        self.init(
            .captive, owningService, chain,
            """
            \(owningService.introduction) has the lifetime '\(owningService.lifetimeOfService)' and needs '\(identity)', which is \
            registered only in the child container (the request scope): \(arrows(chain)). Make '\(owningService.identity)' \
            scoped, or register '\(identity)' in the container of '\(owningService.identity)'.
            """)
    }
}

/// The registrations that may have been meant instead of a missing one, in the words of a message.
private struct Alternatives {
    /// Those of the same type, with another name or other arguments.
    let names: String
    /// Those that can be used as the missing type, each with its remedy.
    let hints: String

    init(to identity: ServiceIdentity, among others: [AnyServiceRegistration]) {
        let near = others.map(\.identity).filter { $0.type == identity.type }
        names = near.isEmpty ? "" : " (registered: " + near.map { "'\($0)'" }.joined(separator: ", ") + ")"
        let usable = others.filter {
            $0.identity.type != identity.type && canBeUsed($0.identity.type, as: identity.type) == true
        }
        hints = usable.prefix(8).map { other in
            let place = other.place.map { " at \($0)" } ?? ""
            let hint = """
                '\(other.identity)' is registered\(place) and can be used as '\(typeLabel(identity.type))'. Register it \
                with `for: \(TypeSpelling(identity.type).expression)`.
                """
            return " " + hint
        }.joined()
    }
}

extension AnyServiceRegistration {
    fileprivate var introduction: String { "'\(identity)'" + (place.map { ", registered at \($0)," } ?? "") }
}
