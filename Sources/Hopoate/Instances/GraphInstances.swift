// Unchecked for the same reason as the base class.
final class GraphInstances<Service, Arguments>: Instances<Service, Arguments>, @unchecked Sendable {
    override func place(
        _ key: ServiceKey<Service>, _ arguments: Arguments, _ resolution: Resolution
    ) throws(DependencyError) -> InstancePlace<Service> {
        let graph = ObjectGraph.currentOrNew
        let shared = graph.object(of: self, in: resolution.container) {
            Box(setup.makeShared(nil) as SharedInstance<Service>)
        }.value
        return InstancePlace(
            shared: shared, container: resolution.container, disposals: nil, ownership: .caller, graph: graph)
    }
}

/// One instance per object graph and value of the arguments.
// Unchecked for the same reason as the base class.
final class KeyedGraphInstances<Service, Arguments>: Instances<Service, Arguments>, @unchecked Sendable {
    override func place(
        _ key: ServiceKey<Service>, _ arguments: Arguments, _ resolution: Resolution
    ) throws(DependencyError) -> InstancePlace<Service> {
        let graph = ObjectGraph.currentOrNew
        // All instances go with the graph.
        let entries = graph.object(of: self, in: resolution.container) { setup.makeEntries(isPermanent: true) }
        return try place(
            key, arguments, in: entries, for: resolution.container, disposals: nil, ownership: .caller, graph: graph)
    }
}
