/// The instances of one object graph: those that are shared in the course of one outermost `resolve` call.
///
/// The outermost frame holds it, or the creation of a task, and lets go of it at its end.
@usableFromInline
final class Graph: Sendable {
    /// A slot, and the recipe that its key is the address of. While the entry is there, so is the recipe, and no other object
    /// can have that address.
    private struct Entry {
        let recipe: AnyRecipe
        /// A `Holder` of a slot for what the recipe makes.
        let slot: AnyObject
    }

    private let entries = Locked<[ObjectIdentifier: Entry]>([:])

    /// The graph that this code runs in the course of, or a new one.
    static var currentOrNew: Graph { current ?? Graph() }

    /// The graph that this code runs in the course of; nil outside of all creation.
    static var current: Graph? {
        guard let outermost = Frame.outermost else { return CreationContext.creation?.graph }
        if let graph = outermost.pointee.graph { return graph }
        let graph = CreationContext.creation?.graph ?? outermost.pointee.creation?.graph ?? Graph()
        outermost.pointee.graph = graph
        return graph
    }

    /// The slot of a recipe in this graph.
    func slot<Service>(of recipe: AnyRecipe, make: () -> Slot<Service>) -> Slot<Service> {
        let found = entries.withLock { $0[ObjectIdentifier(recipe)] }
        let new = found ?? Entry(recipe: recipe, slot: Holder(make()))
        let entry = entries.withLock { entries in
            if let entry = entries[ObjectIdentifier(recipe)] { return entry }
            entries[ObjectIdentifier(recipe)] = new
            return new
        }
        // The entry is of this very recipe, which it keeps alive; and a recipe makes one type of service.
        return unsafeDowncast(entry.slot, to: Holder<Slot<Service>>.self).value
    }
}
