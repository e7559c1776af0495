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
        let recordings = snapshot.containers.compactMap { $0.stateIfAny?.recording }
        // A child may have begun before its parent. All recordings share a clock.
        let recording = recordings.min { $0.start < $1.start }
        var indices: [ObjectIdentifier: Int] = [:]
        for entry in snapshot.entriesByAge { indices[ObjectIdentifier(entry.registration)] = indices.count }
        version = Self.currentVersion
        time = secondsSince1970()
        recorded = recording.map { $0.now() - $0.start }
        liveChildren = container.stateIfAny?.recording?.liveChildren
        deferredReleases = container.registry.deferredReleases
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
        type = identity.typeText
        name = identity.name?.text
        arguments = identity.arguments.map(withoutAddresses)
        lifetime = description.lifetime.description
        sharing = description.lifetime.policy.sharing.kind.word
        place = description.place
        level = entry.level
        isShadowed = entry.isHidden
        exists = description.exists
        dependencies = snapshot.arrows(of: snapshot.node(entry, askedAt: 0))?.map { arrow in
            DependencySnapshot.Dependency(
                type: arrow.requirement.identity.typeText, name: arrow.requirement.identity.name?.text,
                arguments: arrow.requirement.identity.arguments.map(withoutAddresses),
                need: DependencyNeed(arrow.requirement.kind).description, isMissing: arrow.isMissing,
                targets: arrow.targets.compactMap { indices[ObjectIdentifier($0.entry.registration)] })
        }
        creations = (registration.factory?.record ?? registration.disposals?.record).map { record in
            let current = record.current
            func creation(_ entry: CreationRecord.Entry) -> DependencySnapshot.Creation {
                DependencySnapshot.Creation(
                    start: entry.start - start, duration: entry.duration,
                    chain: entry.chain.map { withoutAddresses("\($0)") }, depth: entry.depth)
            }
            return DependencySnapshot.Creations(
                count: current.count, failures: current.failures, first: current.first.map(creation),
                last: current.last.map(creation), longest: current.longest.map(creation))
        }
    }
}

extension ServiceIdentity {
    fileprivate var typeText: String { withoutAddresses(String(reflecting: type)) }
}

extension SharingKind {
    /// The word for it in snapshots.
    fileprivate static var word: String { look.name == "request" ? "graph" : look.name }
}

/// Removes the addresses from the contexts of private types. `(unknown context at $7f00).Cart` becomes `(unknown context).Cart`, so that
/// a snapshot tells nothing of the memory of the process, and those of two runs can be compared.
private func withoutAddresses(_ text: String) -> String {
    let marker = " at $"
    guard text.utf8.contains(UInt8(ascii: "$")) else { return text }
    var rest = Substring(text)
    var cleaned = ""
    while let dollar = rest.firstIndex(of: "$") {
        let address = rest[rest.index(after: dollar)...].prefix(while: \.isHexDigit)
        let end = address.endIndex
        let before = rest[...dollar]
        if before.hasSuffix(marker), !address.isEmpty, end < rest.endIndex, rest[end] == ")" {
            cleaned += before.dropLast(marker.count)
        } else {
            cleaned += rest[..<end]
        }
        rest = rest[end...]
    }
    return cleaned + rest
}
