extension Lifetime {
    /// A new instance for each request.
    public static let transient = Lifetime("transient", policy: Transient())
}

private struct Transient: LifetimePolicy {
    var ownsInstances: Bool { false }
    var sharing: Lifetime.Sharing { .nobody }
}

/// An instance per resolve call.
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
