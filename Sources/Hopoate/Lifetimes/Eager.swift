extension Lifetime {
    /// One instance, created inside `register` and shared by all callers until the registration ends.
    ///
    /// The factory runs on the thread that registers, before the registration can be found. If it throws, `register` traps.
    ///
    /// Registering also traps if the factory is asynchronous or takes arguments. For an asynchronous service use ``singleton``
    /// and ``DependencyContainer/warmUp(isolation:)``.
    ///
    /// A disposal hook runs when the registration is removed or the container ends.
    public static let eager = Lifetime("eager", policy: Eager())
}

private struct Eager: LifetimePolicy {
    var sharing: Lifetime.Sharing { Lifetime.Sharing(CreatedByRegister.self) }
}

/// One instance for all callers, created inside `register`.
private enum CreatedByRegister: SharingKind {
    static var ownership: Creation.Ownership { .registration }
    static var arguments: ArgumentRule { .refused }
    static var isEager: Bool { true }
    static var look: DependencyGraph.Look { .init(name: "instance", fill: "#d3e5f5") }

    static func instances<Service, Arguments>(
        _ setup: InstancesSetup<Arguments>, of service: Service.Type
    ) -> Instances<Service, Arguments>? {
        nil
    }
}
