extension Lifetime {
    /// A new instance per `resolve` call, shared by nobody.
    ///
    /// The container keeps no instance. So registering traps if there is a disposal hook. The factory may take arguments.
    public static let transient = Lifetime("transient", policy: Transient())
}

private struct Transient: LifetimePolicy {
    var ownsInstances: Bool { false }
    var sharing: Lifetime.Sharing { .nobody }
}

/// An instance per `resolve` call. See ``Lifetime/transient``.
enum NotShared: SharingKind {
    static var ownership: Creation.Ownership { .caller }
    static var arguments: ArgumentRule { .allowed }
    static var look: DependencyGraph.Look {
        .init(name: "nobody", fill: "#ececec", others: ["style=\"filled,dashed\""])
    }

    static func instances<Service, Arguments>(
        _ setup: InstancesSetup<Arguments>, of service: Service.Type
    ) -> Instances<Service, Arguments>? {
        nil
    }
}
