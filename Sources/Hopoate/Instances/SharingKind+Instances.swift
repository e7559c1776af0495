extension SharingKind {
    /// Makes the instances of a registration.
    ///
    /// - Returns: The instances; nil if each resolve call gets one of its own, or if the instance exists already.
    func instances<Service, Arguments>(
        _ setup: InstancesSetup<Arguments>, of service: Service.Type
    ) -> Instances<Service, Arguments>? {
        let isKeyed = setup.hashable != nil
        switch self {
        case .nobody, .instance: return nil
        case .registration: return isKeyed ? KeyedInstances(setup) : RegistrationInstances(setup)
        case .container: return isKeyed ? KeyedContainerInstances(setup) : ContainerInstances(setup)
        case .graph: return isKeyed ? KeyedGraphInstances(setup) : GraphInstances(setup)
        case .arguments: return KeyedInstances(setup)
        }
    }
}
