/// What is wrong with the registrations of a container: all of it.
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
/// - Note: Concurrency. Immutable; from any thread.
public struct DependencyValidationError: Error, Sendable {
    /// One thing that is wrong.
    public struct Finding: Sendable {
        /// What kind of thing is wrong.
        public struct Kind: Sendable, Hashable, CustomStringConvertible {
            enum Word: String, Sendable { case missing, circular, captive }
            let word: Word

            private init(_ word: Word) {
                self.word = word
            }

            /// A creator needs what is not registered.
            public static let missing = Kind(.missing)
            /// A service needs itself, by way of others.
            public static let circular = Kind(.circular)
            /// What is kept by its registration would keep what belongs to one container.
            public static let captive = Kind(.captive)

            /// The word for it.
            ///
            /// - Complexity: Constant.
            /// - Note: Concurrency. From any thread.
            public var description: String { word.rawValue }
        }

        /// What kind of thing is wrong.
        public let kind: Kind
        /// The type of the service that needs what it cannot have.
        public let service: any Any.Type
        /// From that service to what is wrong: the one that is missing, itself, or the one that it would keep. Each with its
        /// type in full, its arguments and its name.
        public let chain: [String]
        /// Where the service is registered, as `Module/File.swift:12`; nil where that cannot be named.
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

    /// All that is wrong.
    public let findings: [Finding]

    init(_ findings: [Finding]) {
        self.findings = findings
    }
}

extension DependencyValidationError: CustomStringConvertible {
    /// A numbered list.
    ///
    /// - Complexity: Linear in its length.
    /// - Note: Concurrency. From any thread.
    public var description: String {
        let heading = findings.count == 1 ? "1 finding" : "\(findings.count) findings"
        let lines = findings.enumerated().map { "\($0.offset + 1). \($0.element)" }
        return (["\(heading) in the registrations:"] + lines).joined(separator: "\n")
    }
}

extension DependencyValidationError.Finding: CustomStringConvertible {
    /// What is wrong, where, and what to do about it.
    ///
    /// - Complexity: Constant.
    /// - Note: Concurrency. From any thread.
    public var description: String { "\(kind): \(text)" }
}

// MARK: - Texts

extension DependencyValidationError.Finding {
    // `near` is what is registered and differs from what is missing in its name or its arguments only.
    init(missing identity: ServiceIdentity, neededBy registration: AnyServiceRegistration, near: [ServiceIdentity]) {
        var text = "\(registration.introduction) needs '\(identity)', which is not registered"
        if !near.isEmpty { text += " (there is " + near.map { "'\($0)'" }.joined(separator: ", ") + ")" }
        text += ". Register it, or let the parameter be optional."
        self.init(.missing, registration, [registration.identity, identity], text)
    }

    // The circle has what needs each other, each once.
    init(circular circle: [AnyServiceRegistration]) {
        let chain = circle.map(\.identity) + [circle[0].identity]
        self.init(
            .circular, circle[0], chain,
            """
            \(circle[0].introduction) needs itself: \(arrows(chain)). \
            Ask for one of them later (LazyDependency), or hand it over when the service is complete (afterCreation).
            """)
    }

    // The path leads from who would keep to what would be kept.
    init(captive path: [AnyServiceRegistration]) {
        let owningService = path[0]
        let kept = path[path.count - 1]
        self.init(
            .captive, owningService, path.map(\.identity),
            """
            \(owningService.introduction) is '\(owningService.lifetimeOfService)' and would keep '\(kept.identity)', which is \
            '\(kept.lifetimeOfService)' and belongs to each container by itself: \(arrows(path.map(\.identity))). \
            Let the one that keeps be scoped too, or the other one live as long as it.
            """)
    }
}

extension AnyServiceRegistration {
    fileprivate var introduction: String { "'\(identity)'" + (place.map { ", registered at \($0)," } ?? "") }
}

private func arrows(_ chain: [ServiceIdentity]) -> String { chain.map(\.description).joined(separator: " → ") }
