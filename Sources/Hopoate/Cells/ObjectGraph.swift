// The instances of the lifetime `.graph`: one per registration, container and region.
//
// A region is a part of the running code whose instances may be shared. It begins at an outermost resolve call, and at each creation
// that a registration owns: the factory of a singleton, its completion, and all services that are created for them. So an instance that
// saw one caller's container or task-locals never gets into a service that others share, whoever comes first.
//
// In a region, each container has instances of its own. They may depend on registrations of that container, such as those of a request
// scope.
//
// Handles that cache an instance for a shared service use the region of that service. Providers cache nothing, and use the region of the
// running code.

/// The instances of one region, see the head of this file.
///
/// The frame or the creation with which the region begins holds it, and releases it at the end.
@usableFromInline
final class ObjectGraph: Sendable {
    private struct Key: Hashable {
        let instances: ObjectIdentifier
        let container: ObjectIdentifier
    }

    /// The instances of a registration in a container.
    ///
    /// The address of the first object in the key is that of `instances`, which the entry retains. The second one is that of a container,
    /// which the entry must not keep alive. While the weak reference leads to a container, no other one can have its address (invariant
    /// J1 in Design.md).
    // Unchecked, because of the static types of both objects. Sound, because their actual types are Sendable.
    private struct Entry: @unchecked Sendable {
        let instances: AnyObject
        let container: WeakContainer
        /// A `Box` of `StoredInstances`.
        let object: AnyObject

        /// Whether no call can find the entry any more.
        var isOver: Bool { container.container?.hasEnded ?? true }
    }

    private struct Table {
        var entries: [Key: Entry] = [:]
        /// The number of entries above which those of ended containers are removed: a factory that serves requests may run for ever.
        var limit = 16
    }

    private let table = Locked(Table())

    /// Returns the object with the instances of a registration in a container. If two tasks add one at the same time, both get the
    /// first.
    func object<Object: AnyObject>(
        of instances: AnyObject, in container: DependencyContainer, make: () -> Object
    ) -> Object {
        let key = Key(instances: ObjectIdentifier(instances), container: ObjectIdentifier(container))
        func entry(_ table: Table) -> Entry? {
            guard let entry = table.entries[key], entry.container.container === container else { return nil }
            return entry
        }
        if let entry = table.withLock({ entry($0) }) { return object(of: entry) }
        let new = Entry(instances: instances, container: WeakContainer(container), object: make())
        let (found, replaced, isFull) = table.withLock { table in
            if let entry = entry(table) { return (entry, Entry?.none, false) }
            return (new, table.entries.updateValue(new, forKey: key), table.entries.count > table.limit)
        }
        // Released outside the lock, as in `removeEnded`: the end of an instance may run user code.
        withExtendedLifetime(replaced) {}
        if isFull { removeEnded() }
        return object(of: found)
    }

    /// Removes the entries of ended containers.
    private func removeEnded() {
        // Looked at outside the lock: a reference to a container may be the last one, and its end runs user code.
        let over = table.withLock { $0.entries }.filter(\.value.isOver)
        let removed = table.withLock { table in
            let removed = over.filter { key, entry in table.entries[key]?.object === entry.object }
            for key in removed.keys { table.entries[key] = nil }
            // At least twice as many, so that the search is a constant share of each addition.
            table.limit = max(16, 2 * table.entries.count)
            return removed
        }
        withExtendedLifetime((over, removed)) {}
    }

    private func object<Object: AnyObject>(of entry: Entry) -> Object {
        // Instances of one type are the key, and the entry retains them. So no instances of another type can have their address.
        guard let object = entry.object as? Object else { preconditionFailure("the key has objects of one type") }
        return object
    }
}
