/// The mistakes that a validation looks for.
///
/// ```swift
/// try container.validate(.strict.allowing(.opaque, for: (any Log).self), roots: Checkout.self)
/// ```
///
/// - Note: Concurrency. Immutable and thread-safe.
public struct DependencyValidationRules: Sendable {
    let isStrict: Bool
    /// The types of the allowed services; nil for all services.
    private var allowed: [DependencyValidationError.Finding.Kind: Set<ObjectIdentifier>?] = [:]

    private init(isStrict: Bool) {
        self.isStrict = isStrict
    }

    /// Dependencies and roots that are missing, circular or captive.
    public static let standard = DependencyValidationRules(isStrict: false)

    /// All mistakes of ``standard``, and legal code that is seldom meant:
    ///
    /// - a closure that may resolve services that validation does not see, in a registration, a decorator or `afterCreation`;
    /// - a registration that shadows another one of the same container, unless a list takes both;
    /// - a registration that no root depends on, such as a value that each request brings. This is checked if there are roots, and if all
    ///   their dependencies are known. Services with arguments are left out;
    /// - an optional dependency that is not registered;
    /// - a registration with `replacing: true` that has replaced nothing;
    /// - a root that is resolved synchronously, and depends on a service with an asynchronous factory that is no singleton.
    public static let strict = DependencyValidationRules(isStrict: true)

    /// Returns the same rules, without the findings of a kind.
    ///
    /// ```swift
    /// let rules = DependencyValidationRules.strict.allowing(.opaque, for: (any Log).self).allowing(.unused)
    /// ```
    ///
    /// - Parameters:
    ///   - kind: The kind of the allowed findings.
    ///   - services: The services whose findings are allowed, with and without names. Without types, those of all services.
    /// - Complexity: O(n) in the number of types.
    public func allowing(
        _ kind: DependencyValidationError.Finding.Kind, for services: any Any.Type...
    ) -> DependencyValidationRules {
        var rules = self
        if services.isEmpty {
            rules.allowed[kind] = .some(nil)
        } else if let known = allowed[kind, default: []] {
            rules.allowed[kind] = known.union(services.map { ObjectIdentifier($0) })
        }
        return rules
    }

    /// Whether a finding is allowed.
    func allow(_ finding: DependencyValidationError.Finding) -> Bool {
        guard let services = allowed[finding.kind] else { return false }
        return services?.contains(ObjectIdentifier(finding.service)) ?? true
    }
}
