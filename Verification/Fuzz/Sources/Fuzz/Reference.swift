// The reference: the simplest code that does what the documentation says. Lists that are searched from the end; no table, no
// sharing, no deferred work. It stores numbers of instances only, so it keeps nothing alive.

/// A container as the documentation describes it.
final class ReferenceContainer {
    let parent: ReferenceContainer?
    /// The registrations, in the order in which they were made.
    var entries: [(kind: Int, registration: ReferenceRegistration)] = []

    init(parent: ReferenceContainer?) { self.parent = parent }

    /// The registrations of a kind, newest first, without those of the parents.
    func own(_ kind: Int) -> [ReferenceRegistration] {
        entries.reversed().filter { $0.kind == kind }.map(\.registration)
    }

    func newest(_ kind: Int) -> ReferenceRegistration? { own(kind).first ?? parent?.newest(kind) }

    func remove(_ registration: ReferenceRegistration) {
        entries.removeAll { $0.registration === registration }
    }

    func overwrite(_ kind: Int, by registration: ReferenceRegistration) {
        entries.removeAll { $0.kind == kind }
        entries.append((kind, registration))
    }
}

/// A registration, with its instance or factory by number.
final class ReferenceRegistration {
    let kind: Int
    /// The instance, if the service is cached.
    var instance: Int?
    /// The object that the factory of an uncached service holds.
    var creator: Int?

    init(kind: Int) { self.kind = kind }
}

/// A property wrapper.
final class ReferenceWrapper {
    let kind: Int
    let container: ReferenceContainer
    let optional: Bool
    /// Its cache: empty, an instance, or an assigned nil.
    var memo: Int??

    init(kind: Int, container: ReferenceContainer, optional: Bool) {
        self.kind = kind
        self.container = container
        self.optional = optional
    }
}

/// The live objects, by the references between them.
struct Reachability {
    private(set) var instances: Set<Int> = []
    private(set) var containers: Set<ObjectIdentifier> = []
    /// The container that an instance keeps alive, by the number of the instance.
    let cargo: [Int: ReferenceContainer]

    init(cargo: [Int: ReferenceContainer]) { self.cargo = cargo }

    mutating func visit(_ container: ReferenceContainer?) {
        guard let container, containers.insert(ObjectIdentifier(container)).inserted else { return }
        visit(container.parent)
        for entry in container.entries { visit(entry.registration) }
    }

    mutating func visit(_ registration: ReferenceRegistration) {
        visit(registration.instance)
        visit(registration.creator)
    }

    mutating func visit(_ instance: Int?) {
        guard let instance, instances.insert(instance).inserted else { return }
        visit(cargo[instance])
    }
}

/// The expected result of a lookup, and the factories that it must call, in order. The factories report their calls.
final class ExpectedCall {
    /// The expected instances; zero if a factory has not been called yet.
    private(set) var instances: [Int] = []
    private var pending: [(index: Int, registration: ReferenceRegistration)] = []
    private var next: ReferenceContainer?
    private let kind: Int
    /// The registration of the result, if it has an instance. Then closures borrow the instance from it.
    let borrowed: ReferenceRegistration?

    /// Expects that nothing is found and no factory is called.
    init() {
        kind = 0
        borrowed = nil
    }

    /// Expects the newest registration.
    init(newest kind: Int, in container: ReferenceContainer) {
        self.kind = kind
        let newest = container.newest(kind)
        borrowed = newest?.instance == nil ? nil : newest
        newest.map(add)
    }

    /// Expects all registrations. The parent's stack is read after the container's own factories have returned.
    init(all kind: Int, in container: ReferenceContainer) {
        self.kind = kind
        borrowed = nil
        next = container
        advance()
    }

    var isOver: Bool { pending.isEmpty }

    private func add(_ registration: ReferenceRegistration) {
        if registration.instance == nil { pending.append((instances.count, registration)) }
        instances.append(registration.instance ?? 0)
    }

    private func advance() {
        while pending.isEmpty, let container = next {
            container.own(kind).forEach(add)
            next = container.parent
        }
    }

    /// Whether the factory of this registration must be called next.
    func awaits(_ registration: ReferenceRegistration) -> Bool { pending.first?.registration === registration }

    /// Records the instance of the factory that had to be called next.
    func made(_ instance: Int) {
        instances[pending.removeFirst().index] = instance
        advance()
    }
}
