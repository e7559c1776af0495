// Scope slots: where a child container keeps its own instances of scoped services.
//
// A scoped registration gets an index, dense in the container that holds it. A child container has an array with a slot for each
// index. The first 32 are allocated with the child, the others on first use. So a request finds an instance by one load, and the
// first one costs one allocation besides the service and its creation. The array and its rules are in registry.c.
//
// Not in a slot, but in the table of the child's registry (`ScopedInstances`), are instances with disposal hooks, those of custom
// lifetimes, and those whose slot does not exist or belongs to another registration:
//
// - A child has as many slots as there were indices when it was made. A later registration has none.
// - Containers between the child and the one that holds the registration may give out the same index.
// - The index of a removed registration is given out again. Children that have used it keep the slot for the old one.
//
// The table lets the entries of removed registrations go when others are added, unless they have hooks (`removeEntriesLeftBehind`). Slots
// keep their instances to the end of the child, and there are at most 1,024.
//
// Invariants:
//
// 1. One container keeps the instance of one registration in one place. A slot that belongs to another registration never changes its
//    owner, and one that does not exist never appears. So all callers come to the same conclusion.
// 2. The key of a slot is a number that no other registration of the process gets. It is not the address of an object: the slot would
//    have to keep that object alive (invariant J1 in Design.md), and all threads would count references to it for each instance.
// 3. An instance is written once, before its state is published, and stays until the object ends.
//
// The race: two callers find the slot empty, and each makes an object whose creation is in flight. One compare-and-exchange succeeds.
// The other caller ends its own creation, which nobody has seen, and joins that of the object in the slot.

/// The slot of a registration in the array of each child container.
struct ScopePlace {
    let index: Int
    /// The number of the registration.
    let key: UInt

    init(_ index: ScopeIndex) {
        self.index = index.value
        key = index.number
    }

    private init() {
        index = .max
        key = 0
    }

    /// The place of a registration without an index: no container has such a slot.
    static let none = ScopePlace()
}

extension DependencyContainer {
    /// The number of scope slots that this container has.
    package var scopeSlots: Int { registry.scopeSlots }
}

extension Registry {
    /// Whether an instance of a registration can be in a scope slot. If not, it is in the table.
    func hasScopeSlot(_ place: ScopePlace) -> Bool { hasSlot(place.index, place.key) }

    /// Returns the cell in a scope slot that the registry has, and makes it if there is none.
    func scopeSlot(_ place: ScopePlace, make: () -> Cell) -> Cell {
        while true {
            if let cell = scopeSlot(place) { return cell }
            let cell = make()
            if fill(place, with: cell) { return cell }
        }
    }

    /// Returns the cell in a scope slot; nil if it is empty or belongs to another registration.
    // Only cells are put into slots.
    func scopeSlot(_ place: ScopePlace) -> Cell? { object(inSlot: place.index, place.key, as: Cell.self) }

    /// Puts a cell into its scope slot, unless there is one already, or the slot belongs to another registration.
    ///
    /// - Returns: Whether it is there.
    func fill(_ place: ScopePlace, with cell: Cell) -> Bool { fillSlot(place.index, place.key, with: cell) }
}

/// An index of scope slots, which is given out again when the registration has ended.
final class ScopeIndex: Sendable {
    let value: Int
    /// The number of the registration. No other one of the process has it, not even a later one.
    let number: UInt
    private let free: FreeScopeIndices

    /// Takes an index that a removed registration has left, or reserves one; nil if there is none left.
    init?(in container: DependencyContainer) {
        // Children have as many slots as the container behind a view.
        let container = container.viewedContainer ?? container
        free = container.state.withAttachment(ScopeIndices.self) { indices in
            let free = indices.free ?? FreeScopeIndices(ofDefaultContainer: container.registry.isProcess)
            indices.free = free
            return free
        }
        guard let value = free.take() ?? container.registry.reserveScopeIndex() else { return nil }
        self.value = value
        number = uniqueNumber()
    }

    deinit { free.give(value) }
}

/// The scope indices of a container.
private struct ScopeIndices: ContainerAttachment {
    var free: FreeScopeIndices?
}

/// The indices of scope slots that removed registrations of one container have left.
final class FreeScopeIndices: Sendable {
    private let indices: Locked<[Int]>

    init(ofDefaultContainer isDefault: Bool) { indices = Locked([], under: isDefault ? .defaultIndices : nil) }

    func take() -> Int? { indices.withLock { $0.popLast() } }

    func give(_ index: Int) { indices.withLock { $0.append(index) } }
}
