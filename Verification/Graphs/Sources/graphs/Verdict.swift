import Hopoate

/// What validation says about the roots of callers with the same services.
struct Verdict {
    struct Found: Hashable {
        enum Kind { case missing, circular, captive }

        let kind: Kind
        /// From the faulty service on. That of a cycle begins with its first service by name.
        let chain: [String]
    }

    /// The findings of each root.
    private(set) var findings: [Key: [Found]] = [:]
    private var text = ""

    /// Validates new containers.
    init(_ program: Program, _ caller: Caller) {
        self.init(program, caller, Containers(program))
        Living.reset()
    }

    init(_ program: Program, _ caller: Caller, _ containers: Containers) {
        for key in program.roots { findings[key] = [] }
        let roots = program.roots.enumerated().map { index, key in
            func open<S: Service>(_ service: S.Type) -> DependencyRoot {
                DependencyRoot(S.self, named: key.dependencyName, neededBy: "\(index)")
            }
            return open(key.service)
        }
        do {
            try containers.app.validate(roots: roots) { child in
                if caller != .app { containers.register(.request, in: child, for: caller) }
            }
        } catch let error as DependencyValidationError {
            text = error.description
            for finding in error.findings {
                let kind: Found.Kind =
                    switch finding.kind {
                    case .missing, .name, .arguments: .missing
                    case .circular: .circular
                    default: .captive
                    }
                let found = Found(kind: kind, chain: kind == .circular ? rotated(finding.chain) : finding.chain)
                for root in finding.roots {
                    if let index = root.neededBy.flatMap({ Int($0) }) {
                        findings[program.roots[index], default: []].append(found)
                    }
                }
            }
        } catch {
            text = "\(error)"
        }
    }

    func isEqual(to other: Verdict) -> Bool { text == other.text }
}

extension Verdict.Found: CustomStringConvertible {
    var description: String { "\(kind) \(chain.map(shortened).joined(separator: " → "))" }

    /// Whether a caller would get this error.
    ///
    /// - Parameter isOfHandle: Whether the call is that of a handle. It knows the request, which alone has the missing service, only if the
    ///   request's container is bound.
    func explains(_ failure: Outcome.Failure, isOfHandle: Bool = false) -> Bool {
        switch kind {
        case .missing:
            switch failure.reason {
            case .notRegistered: failure.service == chain.last
            case .captive where isOfHandle: isSame(failure.service)
            default: false
            }
        // Two searches may close one knot at different ends.
        case .circular: failure.reason == .circular && !Set(chain).isDisjoint(with: failure.chain)
        case .captive:
            switch failure.reason {
            case .captive where Exemption.scoped.applies: chain.last.map(failure.chain.contains) ?? false
            case .captive: failure.service == chain.last
            case .notRegistered where isOfHandle: isSame(failure.service)
            default: false
            }
        }
    }

    /// Whether the finding is about a service, or about the list of which it is the element, or the other way round: a missing service is
    /// the list, and a captive one is the element.
    private func isSame(_ service: String) -> Bool {
        guard let last = chain.last else { return false }
        return last == service || last == "[\(service)]" || "[\(last)]" == service
    }
}
