/// One shared instance: in the memory of its cell or, if it may end before the cell, in a storage.
// Unchecked, because the base class of the cell is declared as not Sendable. Sound, because the cell has a lock.
struct SharedInstance<Service>: @unchecked Sendable {
    let cell: Cell
    /// The storage that holds the instance; nil if it is in the memory of the cell.
    let storage: InstanceStorage<Service>?

    /// Makes the place of an instance that stays in the memory of a cell.
    init(in cell: Cell) {
        self.cell = cell
        storage = nil
    }

    /// Makes the place of an instance that a storage holds.
    init(in storage: InstanceStorage<Service>) {
        cell = .make()
        self.storage = storage
    }

    /// The address of the instance, if it stays there; nil if only the storage can find it.
    var pointer: InstancePointer? { storage == nil ? InstancePointer(cell, Service.self) : nil }

    /// Returns the instance; nil if there is none. A storage may run user code.
    func load() -> Service? {
        if let storage { return storage.load() }
        return cell.publishedInstance(as: Service.self)
    }

    /// Whether there is an instance. A storage may run user code.
    var hasInstance: Bool { storage == nil ? cell.filledMemory != nil : load() != nil }

    /// Increases when later callers must not get the instance that is being created now.
    var generation: UInt32 { storage?.generation ?? 0 }

    /// Called before an instance is created.
    func prepare() { storage?.prepare() }

    /// Stores an instance.
    func store(_ instance: Service) {
        if let storage { return storage.store(instance) }
        cell.withMemory { $0.initialize { instance } }
        cell.publishInstance()
    }

    /// Ends a creation with its instance.
    func end(_ creation: Creation, _ instance: Service) { cell.end(creation, box: AnyBox(instance)) }

    /// Returns the instance of an outcome, or throws its error.
    func instance(of outcome: Creation.Outcome) throws(DependencyError) -> Service {
        switch outcome {
        case .instance(let instance): value(of: instance)
        case .failure(let error): throw error
        }
    }

    /// Returns an instance of this cell: all are of this service.
    func value(of instance: AnyBox) -> Service { instance.value(as: Service.self) }

    /// Publishes a pending instance to callers that may borrow it.
    func showPending(_ instance: Service, of creation: Creation) {
        cell.show(AnyBox(instance), of: creation)
    }
}
