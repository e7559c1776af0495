/// The address of an instance in a `MemoCell` that is filled only while it is empty. The owner of the pointer keeps the cell alive.
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

    /// Returns the address of the instance; nil while the cell is empty. One acquire load; pairs with the release in `publish`.
    @inlinable
    @inline(__always)
    func load<Service>(as type: Service.Type) -> UnsafePointer<Service>? {
        // An empty cell is always filled in its first slot. The instance there is of the service of the registration.
        loadPublished(state) == 0 ? nil : instance.assumingMemoryBound(to: Service.self)
    }
}
