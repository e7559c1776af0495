extension ObjectGraph {
    /// The object graph of the region around this code, or a new one.
    static var currentOrNew: ObjectGraph { current ?? ObjectGraph() }

    /// The object graph of the region around this code; nil if no factory is running.
    static var current: ObjectGraph? {
        guard let first = ResolutionStack.firstOfRegion else { return CreationContext.creation?.graph }
        if let graph = first.pointee.graph { return graph }
        let outer = first.pointee.beginsRegion ? nil : CreationContext.creation?.graph
        let graph = outer ?? first.pointee.creation?.graph ?? ObjectGraph()
        first.pointee.graph = graph
        return graph
    }
}
