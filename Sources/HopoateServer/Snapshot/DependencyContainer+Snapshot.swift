public import Hopoate

extension DependencyContainer {
    /// Returns the registrations of this container and its parents as data, with their dependencies and recorded creations.
    ///
    /// ```swift
    /// print(container.snapshot().json)
    /// ```
    ///
    /// No factory runs. <doc:Snapshot> describes the format.
    ///
    /// - Returns: The snapshot, which can be encoded.
    /// - Complexity: O(n log n) in the number of registrations, plus the lengths of the names. Use it for debugging, not on fast paths.
    /// - Note: Concurrency. Registrations that other threads add or remove meanwhile may be included or not.
    public func snapshot() -> DependencySnapshot {
        DependencySnapshot(Wiring(self), liveChildren: recording?.liveChildren)
    }

    /// Returns the registrations as an HTTP request sees them: those that it brings, this container and its parents.
    ///
    /// ```swift
    /// let snapshot = try container.snapshot { request in
    ///     request.register(7, for: Int.self)
    /// }
    /// print(snapshot.json)
    /// ```
    ///
    /// The snapshot is that of a child, which ends with this call. So the registrations of the request have the level 0, and those of this
    /// container have the level 1. Nothing is created, so the values need not be real.
    ///
    /// - Parameter prepare: Registers the services that each request brings.
    /// - Returns: The snapshot, which can be encoded.
    /// - Throws: The error of `prepare`.
    /// - Complexity: That of ``snapshot()``, plus `prepare`.
    public func snapshot(preparing prepare: (DependencyContainer) throws -> Void) throws -> DependencySnapshot {
        let liveChildren = recording?.liveChildren
        return try withChildWithoutAwaitingHooks(prepare) { child in
            DependencySnapshot(Wiring(child), liveChildren: liveChildren)
        }
    }
}

extension DependencySnapshot {
    init(_ wiring: Wiring, liveChildren: Int?) {
        let container = wiring.containers[0]
        let recordings = wiring.containers.compactMap(\.recording)
        // A child may have begun before its parent. All recordings share a clock.
        let recording = recordings.min { $0.start < $1.start }
        let nodes = wiring.nodes
        let indices = nodes.positions
        version = Self.currentVersion
        time = secondsSince1970()
        recorded = recording.map { $0.now() - $0.start }
        self.liveChildren = liveChildren
        deferredReleases = container.deferredReleases
        registrations = nodes.enumerated().map { index, node in
            Registration(index, node, in: wiring, since: recording?.start ?? 0, indices)
        }
    }
}

extension DependencySnapshot.Registration {
    fileprivate init(
        _ index: Int, _ node: Wiring.Node, in wiring: Wiring, since start: Int, _ indices: [ObjectIdentifier: Int]
    ) {
        let description = DependencyDescription(node, in: wiring)
        let identity = description.identity
        id = index
        type = typeLabel(identity.type)
        name = identity.name?.text
        arguments = identity.arguments
        lifetime = description.lifetime.description
        sharing = description.lifetime.sharingName
        place = description.place
        level = node.level
        isShadowed = description.isHidden
        exists = description.exists
        dependencies = wiring.edges(of: node)?.map { edge in
            DependencySnapshot.Dependency(
                type: typeLabel(edge.service.type), name: edge.service.name?.text,
                arguments: edge.service.arguments, need: edge.need.description, isMissing: edge.isMissing,
                targets: edge.targets.compactMap { indices[$0.id] })
        }
        creations = (node.registration.record as? CreationRecord).map { record in
            let current = record.current
            func creation(_ entry: CreationRecord.Entry) -> DependencySnapshot.Creation {
                DependencySnapshot.Creation(
                    start: entry.start - start, duration: entry.duration,
                    chain: entry.chain.map(\.description), depth: entry.depth)
            }
            return DependencySnapshot.Creations(
                count: current.count, failures: current.failures, first: current.first.map(creation),
                last: current.last.map(creation), longest: current.longest.map(creation))
        }
    }
}
