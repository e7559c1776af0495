/// Where a cell keeps an instance that it is filled with once, and for as long as the cell lives. The factory beside it keeps the
/// cell alive.
@frozen
@usableFromInline
struct InstancePointer {
    @usableFromInline
    let state: UnsafePointer<UInt32>
    @usableFromInline
    let instance: UnsafeRawPointer

    @inlinable
    init<Service>(_ cell: MemoCell<Void, Service>) {
        (state, instance) = cell.withWords { (UnsafePointer($0), UnsafeRawPointer($1)) }
    }

    /// The address of the instance; nil before the cell has been filled.
    @inlinable
    @inline(__always)
    func load<Service>(as type: Service.Type) -> UnsafePointer<Service>? {
        // A cell that is filled once is filled in its first slot, with an instance of the registration's service.
        loadPublished(state) == 0 ? nil : instance.assumingMemoryBound(to: Service.self)
    }
}
