extension DependencyContainer {
    /// Looks whether all that initializers need is registered, without making anything.
    ///
    /// ```swift
    /// try container.validate()
    /// container.seal()
    /// ```
    ///
    /// What is registered with an initializer (`using:`), forwarded, or put around such a service, says what it needs. Three
    /// things may be wrong with that, and all findings are thrown at once:
    ///
    /// - missing: it is not registered;
    /// - circular: it needs, by way of others, the service itself. What is asked for only later closes no circle;
    /// - captive: what is kept by its registration, as a singleton is, needs what each container has for itself
    ///   (``Lifetime/scoped``), and would keep the first one it gets. What is asked for only later is not looked at.
    ///
    /// Closures do not say what they need; the report lists them, so that a test can insist that there are none.
    ///
    /// It is looked at as this container would find it: what is hidden does not count, and what a parent makes anew is made
    /// with what this container holds, while what a parent's registration keeps is made with what the parent holds. So
    /// validate the parent too, or instead, where services are asked for through it.
    ///
    /// - Returns: What could not be looked at.
    /// - Throws: ``DependencyValidationError``, with all findings.
    /// - Complexity: Linear in the number of registrations and of what they need, times the depth at which the kept ones find
    ///   those that belong to a container.
    /// - Note: Concurrency. From any thread. What others register or remove meanwhile may be seen or not.
    @discardableResult
    public func validate() throws(DependencyValidationError) -> DependencyValidationReport {
        var validation = Validation(ContainerSnapshot(self))
        validation.run()
        if !validation.findings.isEmpty { throw DependencyValidationError(validation.findings) }
        return DependencyValidationReport(checked: validation.checked, unknown: validation.unknown)
    }
}

/// What ``DependencyContainer/validate()`` saw.
///
/// ```swift
/// let report = try container.validate()
/// print(report.unknown)  // whose creators are closures
/// ```
///
/// - Note: Concurrency. Immutable; from any thread.
public struct DependencyValidationReport: Sendable {
    /// How many registrations say what they need, or are instances and need nothing.
    public let checked: Int
    /// Those whose creators are closures, which do not say what they need.
    public let unknown: [DependencyDescription]
}

/// One walk along all arrows.
private struct Validation {
    let snapshot: ContainerSnapshot
    private(set) var findings: [DependencyValidationError.Finding] = []
    private(set) var checked = 0
    private(set) var unknown: [DependencyDescription] = []

    /// What was visited; true while it is on the path.
    private var visited: [ContainerSnapshot.Node.ID: Bool] = [:]
    /// What was said already.
    private var said: Set<String> = []
    /// What is still to be visited, each by a path of its own.
    private var pending: [ContainerSnapshot.Node] = []

    /// Where the walk is, and where it goes from there.
    private struct Step {
        let node: ContainerSnapshot.Node
        let targets: [ContainerSnapshot.Node]
        var next = 0
    }

    init(_ snapshot: ContainerSnapshot) {
        self.snapshot = snapshot
    }

    mutating func run() {
        pending = snapshot.entries.filter { !$0.isHidden }.map { snapshot.node($0, askedAt: 0) }.reversed()
        while let node = pending.popLast() {
            if visited[node.id] == nil { walk(from: node) }
        }
    }

    private mutating func walk(from root: ContainerSnapshot.Node) {
        var path = [enter(root)]
        while var step = path.popLast() {
            guard step.next < step.targets.count else {
                visited[step.node.id] = false
                continue
            }
            let target = step.targets[step.next]
            step.next += 1
            path.append(step)
            switch visited[target.id] {
            case nil: path.append(enter(target))
            case true?:
                let circle = path.drop { $0.node.id != target.id }.map(\.node.entry.registration)
                say(DependencyValidationError.Finding(circular: circle))
            case false?: break
            }
        }
    }

    private mutating func enter(_ node: ContainerSnapshot.Node) -> Step {
        visited[node.id] = true
        guard let arrows = snapshot.arrows(of: node) else {
            // Wherever it looks: it is listed once.
            if said.insert("\(ObjectIdentifier(node.entry.registration))").inserted {
                unknown.append(DependencyDescription(node.entry, in: snapshot))
            }
            return Step(node: node, targets: [])
        }
        if said.insert("\(ObjectIdentifier(node.entry.registration))").inserted { checked += 1 }
        for arrow in arrows where arrow.isMissing {
            let identity = arrow.requirement.identity
            let near = snapshot.entries.filter { !$0.isHidden }.map(\.registration.identity).filter {
                $0.type == identity.type
            }
            say(.init(missing: identity, neededBy: node.entry.registration, near: near))
        }
        if node.ownership == .registration { findCaptives(of: node) }
        var targets: [ContainerSnapshot.Node] = []
        for arrow in arrows {
            if arrow.requirement.kind == .later { pending += arrow.targets } else { targets += arrow.targets }
        }
        return Step(node: node, targets: targets)
    }

    /// Follows what nobody else keeps.
    private mutating func findCaptives(of owningService: ContainerSnapshot.Node) {
        var seen: Set<ContainerSnapshot.Node.ID> = []
        var paths = [[owningService]]
        while let path = paths.popLast() {
            for arrow in snapshot.arrows(of: path[path.count - 1]) ?? [] where arrow.requirement.kind != .later {
                for target in arrow.targets where seen.insert(target.id).inserted {
                    switch target.ownership {
                    case .container: say(.init(captive: (path + [target]).map(\.entry.registration)))
                    case .caller: paths.append(path + [target])
                    case .registration: break
                    }
                }
            }
        }
    }

    private mutating func say(_ finding: DependencyValidationError.Finding) {
        if said.insert(finding.description).inserted { findings.append(finding) }
    }
}
