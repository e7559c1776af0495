/// The instances of a registration with arguments: one per value, for all resolve calls that find the registration.
// Unchecked for the same reason as the base class.
final class KeyedInstances<Service, Arguments>: Instances<Service, Arguments>, @unchecked Sendable {
    private let entries: KeyedEntries

    override init(_ setup: InstancesSetup<Arguments>) {
        entries = setup.makeEntries(isPermanent: setup.lifetime.isPermanent, isIndexed: true)
        super.init(setup)
    }

    override func place(
        _ key: ServiceKey<Service>, _ arguments: Arguments, _ resolution: Resolution
    ) throws(DependencyError) -> InstancePlace<Service> {
        try place(
            key, arguments, in: entries, for: resolution.owner, disposals: setup.disposals,
            ownership: setup.ownershipUnlessCaptive(key))
    }

    override func hasInstance(for resolution: Resolution) -> Bool { entries.hasInstances }

    override var keyedIndex: Pinned<KeyedIndex>? { entries.index }
}

extension Instances {
    /// Returns the place of the instance for some arguments in a table of this service. The caller has to leave the place.
    func place(
        _ key: ServiceKey<Service>, _ arguments: Arguments, in entries: KeyedEntries,
        for container: DependencyContainer, disposals: Disposals?, ownership: Ownership,
        graph: ObjectGraph? = nil
    ) throws(DependencyError) -> InstancePlace<Service> {
        let found = withPointer(to: arguments) { pointer in
            entries.enter(pointer) { hash in
                KeyedInstance(arguments, hash: hash, setup.makeShared(disposals) as SharedInstance<Service>, disposals)
            }
        }
        guard let (entry, isUsed) = found else { throw DependencyError(incomparableArgumentsOf: key.identity) }
        guard let shared = (entry as? KeyedInstance<Service, Arguments>)?.shared else {
            preconditionFailure("all entries of a table are of one service")
        }
        return InstancePlace(
            shared: shared, container: container, disposals: disposals, ownership: ownership, graph: graph,
            entry: isUsed ? KeyedEntries.Use(of: entry, in: entries) : nil)
    }
}
