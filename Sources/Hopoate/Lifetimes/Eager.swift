extension Lifetime {
    /// One instance, made inside `register`, before the registration can be found.
    public static let eager = Lifetime("eager", policy: Eager())
}

private struct Eager: LifetimePolicy {
    var sharing: Lifetime.Sharing { Lifetime.Sharing(CreatedByRegister.self) }
}

/// One instance for all callers, created inside `register`.
private enum CreatedByRegister: SharingKind {
    static var ownership: Creation.Ownership { .registration }
    static var isEager: Bool { true }
    static var look: DependencyGraph.Look { .init(name: "instance", fill: "#d3e5f5") }

    static func instances<Service, Arguments>(
        _ setup: InstancesSetup<Arguments>, of service: Service.Type
    ) -> Instances<Service, Arguments>? {
        nil
    }
}
