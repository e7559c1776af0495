/// An object that holds a value.
// Unchecked, because a service need not be Sendable. Immutable.
final class Box<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) {
        self.value = value
    }
}

/// A type-erased box. The code that takes the value out has to know the type of the value.
struct AnyBox {
    private let box: AnyObject

    init<Value>(_ value: Value) {
        box = Box(value)
    }

    /// Returns the value, which must be of the type.
    // The caller's guarantee.
    func value<Value>(as type: Value.Type) -> Value { unsafeDowncast(box, to: Box<Value>.self).value }
}

/// A value that crosses between tasks although the compiler cannot check that it may.
// Unchecked. Sound, because it wraps services, arguments and hooks of factories that are registered without a check. By contract, these
// run, and are used, hashed and compared, on any thread.
struct Unchecked<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) {
        self.value = value
    }
}

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
