// A value that is written rarely and read by any thread without a lock, in one allocation. Property wrappers store their service in
// it, and storages their instance.
//
// 1. Layout and protocol
//
//   state 0   empty                     +--------+-----------+-----------+
//   state 1   the value is in slot 1    | header | slot 1    | slot 2    |
//   state 2   the value is in slot 2    +--------+-----------+-----------+
//
// A writer fills the slot that is not in use and publishes its number. Then it waits until no reader can still be copying from
// the other slot, and empties that one. Readers copy inside a read section of the registry, for which the writer waits.
//
// When a cell is emptied, its state is 0 again and both slots are free: that writer has waited for its readers, too.
//
// 2. Synchronization
//
//   the slots   under the lock of the cell
//   the state   with the slots, with release; read with acquire
//
// 3. The invariant
//
// A slot is written only while the state does not name it, and while no read section is open that began when the state named it.
//
// 4. The race
//
// A reader loads state 1 and is about to copy slot 1. A writer assigns twice. The first assignment fills slot 2, and ends only
// after the reader's section. Only the second assignment writes slot 1 again.

/// The state and the lock of a cell, and a value that its owner stores next to them.
@usableFromInline
struct MemoHeader<Context> {
    /// The slot that holds the value. Written with release, read with acquire.
    @usableFromInline
    var state: UInt32 = 0
    /// Held by the writer.
    @usableFromInline
    var lock: UInt32 = 0
    @usableFromInline
    let context: Context

    @inlinable
    init(_ context: Context) {
        self.context = context
    }
}

@usableFromInline
final class MemoCell<Context, Value>: ManagedBuffer<MemoHeader<Context>, Value> {
    @inlinable
    static func make(_ context: Context) -> MemoCell<Context, Value> {
        let cell = create(minimumCapacity: 2) { _ in MemoHeader(context) }
        // `create` makes an instance of the class that it is called on.
        return unsafeDowncast(cell, to: MemoCell<Context, Value>.self)
    }

    deinit {
        withUnsafeMutablePointers { header, slots in
            let slot = header.pointee.state
            if slot != 0 { (slots + Int(slot - 1)).deinitialize(count: 1) }
        }
    }

    /// Runs a closure with pointers to the two words of the header, the state and then the lock, and to the slots.
    @inlinable
    @inline(__always)
    func withWords<Output>(
        _ body: (_ words: UnsafeMutablePointer<UInt32>, _ slots: UnsafeMutablePointer<Value>) -> Output
    ) -> Output {
        withUnsafeMutablePointers { header, slots in
            // Stored properties lie in the order of their declaration, and the first two are words.
            body(UnsafeMutableRawPointer(header).assumingMemoryBound(to: UInt32.self), slots)
        }
    }

    /// The value; nil if the cell is empty.
    @inlinable
    @inline(__always)
    var value: Value? {
        withWords { state, slots in
            withReadSection(state) { slot in slot == 0 ? nil : slots[Int(slot - 1)] }
        }
    }

    /// Fills an empty cell; leaves a full one as it is.
    ///
    /// - Returns: The value of the cell afterwards. If two threads fill it at the same time, both get the same value.
    @usableFromInline
    func fill(_ value: Value) -> Value {
        withWords { state, slots in
            withLock(state + 1) {
                // The state does not change under the lock, so its slot can be read without a read section.
                if state.pointee != 0 { return slots[Int(state.pointee - 1)] }
                slots.initialize(to: value)
                publish(state, 1)
                return value
            }
        }
    }

    /// Sets the value. The previous one is released here, unless a reader has retained it.
    @usableFromInline
    func assign(_ value: Value) { assign(value) { _ in true } }

    /// Sets the value if a condition holds for the new one. The condition is evaluated under the lock of the cell: no user code.
    func assign(_ value: Value, if condition: (Value) -> Bool) {
        let replaced = exchange(value, where: { _ in true }, unless: { !condition(value) })
        // Released outside the lock: this may run a deinitializer.
        withExtendedLifetime(replaced) {}
    }

    /// Empties the cell if a condition holds for its value.
    ///
    /// - Parameter condition: The condition; evaluated under the lock of the cell, so no user code.
    func clear(where condition: (Value) -> Bool = { _ in true }) {
        let removed = exchange(nil, where: condition)
        withExtendedLifetime(removed) {}
    }

    /// Replaces the value under the lock, unless a condition fails, and returns the previous value.
    private func exchange(
        _ value: Value?, where condition: (Value) -> Bool, unless refusal: () -> Bool = { false }
    ) -> Value? {
        withWords { state, slots -> Value? in
            withLock(state + 1) {
                let old = state.pointee
                if refusal() { return nil }
                if old != 0, !condition(slots[Int(old - 1)]) { return nil }
                var new: UInt32 = 0
                if let value {
                    new = old == 1 ? 2 : 1
                    (slots + Int(new - 1)).initialize(to: value)
                }
                publish(state, new)
                if old == 0 { return nil }
                waitForReads()
                return (slots + Int(old - 1)).move()
            }
        }
    }
}

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
        hasInstance ? instance.assumingMemoryBound(to: Service.self) : nil
    }

    /// Whether the cell is filled.
    @inlinable
    @inline(__always)
    var hasInstance: Bool { loadPublished(state) != 0 }
}
