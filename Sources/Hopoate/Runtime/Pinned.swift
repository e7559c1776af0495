/// A value at an address that does not change, so that code in a read section can read it without counting a reference.
@usableFromInline
struct Pinned<Value> {
    private let address: UnsafeMutablePointer<Value>

    /// Moves a value to its address, until `free`.
    init(_ value: Value) {
        address = .allocate(capacity: 1)
        address.initialize(to: value)
    }

    /// The value, which does not change.
    @inline(__always)
    var value: Value { address.pointee }

    /// Ends the value. Called when no other code can read it any more.
    func free() {
        address.deinitialize(count: 1)
        address.deallocate()
    }
}

// Unchecked, because it has a pointer. Sound, because the value at the address does not change.
extension Pinned: @unchecked Sendable where Value: Sendable {}
