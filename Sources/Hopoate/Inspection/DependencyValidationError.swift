/// All findings of a validation, as by ``DependencyContainer/validate(_:)``.
///
/// ```swift
/// do {
///     try container.validate()
/// } catch {
///     print(error)
///     // 1 finding in the registrations:
///     // App/Main.swift:12: error: 'App.Checkout' needs 'any App.Paying', which is not registered. … [hopoate.missing]
/// }
/// ```
///
/// - Note: Concurrency. Immutable and thread-safe.
public struct DependencyValidationError: Error, Sendable {
    /// One finding.
    public struct Finding: Sendable {
        /// The kind of a finding. Its description is a stable identifier, such as `hopoate.missing`; see <doc:Errors>.
        public struct Kind: Sendable, Hashable, CustomStringConvertible {
            enum Word: String, Sendable {
                case missing, circular, captive, name, arguments
                case opaque, duplicate, unused, optional, override, async
            }
            let word: Word

            private init(_ word: Word) {
                self.word = word
            }

            /// A dependency or a root is not registered.
            public static let missing = Kind(.missing)
            /// A dependency or a root is registered only with another name.
            public static let name = Kind(.name)
            /// A dependency or a root is registered only with arguments of other types.
            public static let arguments = Kind(.arguments)
            /// A service depends on itself, directly or through others.
            public static let circular = Kind(.circular)
            /// A captive dependency: a service that all callers share would keep a service that belongs to one container.
            public static let captive = Kind(.captive)
            /// Strict: a closure may resolve services that validation does not see.
            public static let opaque = Kind(.opaque)
            /// Strict: a registration shadows another one of the same container.
            public static let duplicate = Kind(.duplicate)
            /// Strict: no root depends on a registration.
            public static let unused = Kind(.unused)
            /// Strict: an optional dependency is not registered.
            public static let optional = Kind(.optional)
            /// Strict: a registration with `replacing: true` has replaced nothing.
            public static let override = Kind(.override)
            /// Strict: a root that is resolved synchronously depends on a service that only `asyncResolve` can create.
            public static let async = Kind(.async)

            /// The identifier of the kind, which later versions keep.
            public var description: String { "hopoate.\(word.rawValue)" }
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

        init(
            _ kind: Kind, _ registration: AnyServiceRegistration, _ chain: [ServiceIdentity], _ text: String
        ) {
            self.init(kind, chain, place: registration.place, text)
        }

        // The chain begins with the faulty service.
        init(_ kind: Kind, _ chain: [ServiceIdentity], place: String?, _ text: String) {
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
    /// The number of findings, then one line for each of them.
    ///
    /// - Complexity: O(n) in its length.
    public var description: String {
        let heading = findings.count == 1 ? "1 finding" : "\(findings.count) findings"
        return (["\(heading) in the registrations:"] + findings.map(\.description)).joined(separator: "\n")
    }
}

extension DependencyValidationError.Finding: CustomStringConvertible {
    /// One line: the place, the finding, its remedy, the roots that depend on the service, and the identifier of the kind.
    ///
    /// - Complexity: O(n) in its length and in the number of roots.
    public var description: String {
        var seen: Set<String> = []
        let labels = roots.map(\.label).filter { seen.insert($0).inserted }
        let origin = place.map { "\($0): " } ?? ""
        return "\(origin)error: \(text)" + (labels.isEmpty ? "" : " Needed by \(list(labels)).") + " [\(kind)]"
    }
}

/// Joins the words of a list; the first three if it is long.
private func list(_ words: [String]) -> String {
    let shown = words.count > 4 ? Array(words.prefix(3)) + ["\(words.count - 3) other roots"] : words
    return ([shown.dropLast().joined(separator: ", ")] + shown.suffix(1)).filter { !$0.isEmpty }.joined(
        separator: " and ")
}
