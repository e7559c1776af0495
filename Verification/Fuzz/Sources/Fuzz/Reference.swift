// What the library is compared with: the shortest thing that does what is documented. Lists, searched from the end; no
// table, no sharing, nothing deferred. It knows instances by number only, so it keeps nothing alive.

/// A container, as the documentation tells it.
final class ReferenceContainer {
    let parent: ReferenceContainer?
    /// In the order of registration.
    var entries: [(kind: Int, registration: ReferenceRegistration)] = []

    init(parent: ReferenceContainer?) { self.parent = parent }

    /// Newest first, without those of the parents.
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

/// A registration: what it holds, by number.
final class ReferenceRegistration {
    let kind: Int
    /// The instance, where it is cached.
    var instance: Int?
    /// What the creator of an uncached service holds on to.
    var creator: Int?

    init(kind: Int) { self.kind = kind }
}

/// A property wrapper.
final class ReferenceWrapper {
    let kind: Int
    let container: ReferenceContainer
    let optional: Bool
    /// What it remembers: nothing yet, or an instance, or an assigned nil.
    var memo: Int??

    init(kind: Int, container: ReferenceContainer, optional: Bool) {
        self.kind = kind
        self.container = container
        self.optional = optional
    }
}

/// What is alive, going by who holds on to whom.
struct Reachability {
    private(set) var instances: Set<Int> = []
    private(set) var containers: Set<ObjectIdentifier> = []
    /// Which container an instance keeps, by the number of the instance.
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

/// What a lookup has to find, and which creators it has to call, in which order. The creators report as they are
/// called.
final class ExpectedCall {
    /// The instances to be found; zero where a creator has not been called yet.
    private(set) var instances: [Int] = []
    private var pending: [(index: Int, registration: ReferenceRegistration)] = []
    private var next: ReferenceContainer?
    private let kind: Int
    /// The container that holds what the closure borrows.
    let owner: ReferenceContainer?

    /// Nothing is found and no creator is called.
    init() {
        kind = 0
        owner = nil
        isLent = false
    }

    /// The newest one.
    init(newest kind: Int, in container: ReferenceContainer) {
        self.kind = kind
        isLent = container.newest(kind)?.instance != nil
        var next: ReferenceContainer? = container
        while let current = next, current.own(kind).isEmpty { next = current.parent }
        owner = next
        container.newest(kind).map(add)
    }

    /// All of them. The parent's stack is looked at when the container's own creators have returned.
    init(all kind: Int, in container: ReferenceContainer) {
        self.kind = kind
        owner = nil
        isLent = false
        next = container
        advance()
    }

    var isOver: Bool { pending.isEmpty }

    /// Whether what is found was registered as an instance: closures borrow it from the registration.
    let isLent: Bool

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

    /// Whether it is this creator's turn.
    func awaits(_ registration: ReferenceRegistration) -> Bool { pending.first?.registration === registration }

    /// The creator whose turn it is has made an instance.
    func made(_ instance: Int) {
        instances[pending.removeFirst().index] = instance
        advance()
    }
}
