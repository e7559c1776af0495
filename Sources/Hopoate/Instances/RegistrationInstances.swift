/// One instance for all resolve calls that find one registration. See ``Lifetime/singleton``, ``Lifetime/weak`` and
/// ``Lifetime/cached(in:)``.
// Unchecked for the same reason as the base class.
final class RegistrationInstances<Service, Arguments>: Instances<Service, Arguments>, @unchecked Sendable {
    private let shared: SharedInstance<Service>

    override init(_ setup: InstancesSetup<Arguments>) {
        shared = setup.makeShared(setup.disposals)
        super.init(setup)
    }

    override func place(
        _ key: ServiceKey<Service>, _ arguments: Arguments, _ resolution: Resolution
    ) throws(DependencyError) -> InstancePlace<Service> {
        InstancePlace(
            shared: shared, container: resolution.owner, disposals: setup.disposals,
            ownership: try setup.ownershipUnlessCaptive(key))
    }

    override func existing(for resolution: Resolution) -> Service? { shared.load() }

    override var permanentInstance: InstancePointer? { shared.pointer }
}
