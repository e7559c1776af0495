extension DependencyContainer {
    /// Checks that the known dependencies of all registrations are registered, without creating anything.
    ///
    /// ```swift
    /// try container.validate()
    /// container.seal()
    /// ```
    ///
    /// Validation knows the parameters of initializers registered with `using:`, and the target of a `forward`. For a decorated
    /// service of the same container, it knows the dependencies of the inner service. The call throws all findings at once:
    ///
    /// - missing: a dependency is not registered;
    /// - circular: a service depends on itself, directly or through others. A lazy dependency does not count as part of a
    ///   cycle;
    /// - captive: a service that all callers share, such as a singleton, depends on a ``Lifetime/scoped`` service, and would keep
    ///   the first instance that it gets. Lazy dependencies are not checked for this.
    ///
    /// Validation cannot look into factory closures, `afterCreation` and decorators. No factory runs. The report lists the
    /// registrations with factory closures, so that a test can require that there are none. The instance of an
    /// ``Lifetime/eager`` registration exists already, so its dependencies are not checked.
    ///
    /// Validation looks up each dependency in the container that would resolve it, and ignores shadowed registrations. A
    /// parent's singleton resolves its dependencies in the parent, a parent's transient or scoped service in this container. If
    /// services are also resolved through the parent, validate the parent too.
    ///
    /// - Returns: The number of checked registrations, and the registrations with factory closures.
    /// - Throws: ``DependencyValidationError`` with all findings.
    /// - Complexity: That of ``registrations``, plus a search for captive dependencies from each shared service.
    /// - Note: Concurrency. Registrations that other threads add or remove meanwhile may be seen or not.
    @discardableResult
    public func validate() throws(DependencyValidationError) -> DependencyValidationReport {
        var validation = Validation(ContainerSnapshot(self))
        validation.run()
        if !validation.findings.isEmpty { throw DependencyValidationError(validation.findings) }
        return DependencyValidationReport(checked: validation.checked, unknown: validation.unknown)
    }
}

/// The result of ``DependencyContainer/validate()`` without findings.
///
/// ```swift
/// let report = try container.validate()
/// print(report.unknown)  // registrations with factory closures
/// ```
///
/// - Note: Concurrency. Immutable and thread-safe.
public struct DependencyValidationReport: Sendable {
    /// The number of registrations with known dependencies, instances included.
    public let checked: Int
    /// The registrations with factory closures. Their dependencies are not known.
    public let unknown: [DependencyDescription]
}

/// One walk along all edges.
private struct Validation {
    let snapshot: ContainerSnapshot
    private(set) var findings: [DependencyValidationError.Finding] = []
    private(set) var checked = 0
    private(set) var unknown: [DependencyDescription] = []

    /// The visited nodes; true while a node is on the path.
    private var visited: [ContainerSnapshot.Node.ID: Bool] = [:]
    /// The findings and registrations that were reported already.
    private var said: Set<String> = []
    /// Nodes still to visit, each as the start of a new path.
    private var pending: [ContainerSnapshot.Node] = []

    /// A node on the path, and the edges that leave it.
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
                let cycle = path.drop { $0.node.id != target.id }.map(\.node.entry.registration)
                say(DependencyValidationError.Finding(circular: cycle))
            case false?: break
            }
        }
    }

    private mutating func enter(_ node: ContainerSnapshot.Node) -> Step {
        visited[node.id] = true
        guard let arrows = snapshot.arrows(of: node) else {
            // A registration may be visited from several containers, but is listed once.
            if said.insert("\(ObjectIdentifier(node.entry.registration))").inserted {
                unknown.append(DependencyDescription(node.entry, in: snapshot))
            }
            return Step(node: node, targets: [])
        }
        if said.insert("\(ObjectIdentifier(node.entry.registration))").inserted { checked += 1 }
        for arrow in arrows where arrow.isMissing {
            let others = snapshot.entries.filter { !$0.isHidden }.map(\.registration)
            say(.init(missing: arrow.requirement.identity, neededBy: node.entry.registration, among: others))
        }
        if node.ownership == .registration { findCaptives(of: node) }
        var targets: [ContainerSnapshot.Node] = []
        for arrow in arrows {
            if arrow.requirement.kind == .later { pending += arrow.targets } else { targets += arrow.targets }
        }
        return Step(node: node, targets: targets)
    }

    /// Reports scoped services that a shared service would keep. It follows transient services, since the shared service owns
    /// those too.
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
