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
    public func snapshot() -> DependencySnapshot { DependencySnapshot(ContainerSnapshot(self)) }
}

extension DependencySnapshot {
    init(_ snapshot: ContainerSnapshot) {
        let container = snapshot.containers[0]
        let recordings = snapshot.containers.compactMap(\.recording)
        // A child may have begun before its parent. All recordings share a clock.
        let recording = recordings.min { $0.start < $1.start }
        var indices: [ObjectIdentifier: Int] = [:]
        for entry in snapshot.entriesByAge { indices[ObjectIdentifier(entry.registration)] = indices.count }
        version = Self.currentVersion
        time = secondsSince1970()
        recorded = recording.map { $0.now() - $0.start }
        liveChildren = container.recording?.liveChildren
        deferredReleases = container.deferredReleases
        registrations = snapshot.entriesByAge.enumerated().map { index, entry in
            Registration(index, entry, in: snapshot, since: recording?.start ?? 0, indices)
        }
    }
}

extension DependencySnapshot.Registration {
    fileprivate init(
        _ index: Int, _ entry: ContainerSnapshot.Entry, in snapshot: ContainerSnapshot, since start: Int,
        _ indices: [ObjectIdentifier: Int]
    ) {
        let registration = entry.registration
        let identity = registration.identity
        let description = DependencyDescription(entry, in: snapshot)
        id = index
        type = typeLabel(identity.type)
        name = identity.name?.text
        arguments = identity.arguments
        lifetime = description.lifetime.description
        sharing = description.lifetime.sharingName
        place = description.place
        level = entry.level
        isShadowed = description.isHidden
        exists = description.exists
        dependencies = snapshot.arrows(of: snapshot.node(entry, askedAt: 0))?.map { arrow in
            DependencySnapshot.Dependency(
                type: typeLabel(arrow.service.type), name: arrow.service.name?.text,
                arguments: arrow.service.arguments, need: arrow.need.description, isMissing: arrow.isMissing,
                targets: arrow.targets.compactMap { indices[ObjectIdentifier($0.entry.registration)] })
        }
        creations = (registration.record as? CreationRecord).map { record in
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
