// A value that is written rarely and read from any thread, without a lock and in one allocation: what a property wrapper keeps, and
// where shared instances are.
//
//   state 0   empty                     +--------+-----------+-----------+
//   state 1   the value is in slot 1    | header | slot 1    | slot 2    |
//   state 2   the value is in slot 2    +--------+-----------+-----------+
//
// A cell that is emptied has state 0 again, and both slots are free: the writer has waited for the readers that were copying.
//
// A writer fills the slot that is not in use, publishes its number, waits until no reader can still be copying from the other slot,
// and empties that. Readers copy inside a read section of the registry, which is what the writer waits for.
//
// Invariant: a slot is written only while the state does not name it and no read section that began when it did is open.
// The race: a reader loads state 1 and is about to copy slot 1; a writer assigns twice. Its first assignment ends only after the
// reader's section, and only the second one writes slot 1 again.

/// Where the value is, who is writing, and what the owner of the cell wants to keep beside it.
@usableFromInline
struct MemoHeader<Context> {
    /// The slot that holds the value; written with release, read with acquire.
    @usableFromInline
    var state: UInt32 = 0
    /// Serialises writers.
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

    /// The two words of the header that threads share, and the slots. The state is at the first, the lock at the second.
    @inlinable
    @inline(__always)
    func withWords<Output>(
        _ body: (_ words: UnsafeMutablePointer<UInt32>, _ slots: UnsafeMutablePointer<Value>) -> Output
    ) -> Output {
        withUnsafeMutablePointers { header, slots in
            // Stored properties lie in the order of their declaration, and both are words.
            body(UnsafeMutableRawPointer(header).assumingMemoryBound(to: UInt32.self), slots)
        }
    }

    /// The value, where there is one.
    @inlinable
    @inline(__always)
    var value: Value? {
        withWords { state, slots in
            withReadSection(state) { slot in slot == 0 ? nil : slots[Int(slot - 1)] }
        }
    }

    /// Fills an empty cell; a full one stays as it is.
    ///
    /// - Returns: What the cell holds afterwards: where two threads fill it at once, both get the same.
    @usableFromInline
    func fill(_ value: Value) -> Value {
        withWords { state, slots in
            withLock(state + 1) {
                // Under the lock the state does not change, so its slot can be read as it is.
                if state.pointee != 0 { return slots[Int(state.pointee - 1)] }
                slots.initialize(to: value)
                publish(state, 1)
                return value
            }
        }
    }

    /// Fills a new cell, which nobody else fills.
    @inlinable
    func fillFirst(_ value: Value) {
        withWords { state, slots in
            slots.initialize(to: value)
            publish(state, 1)
        }
    }

    /// Puts a value in the place of the one that is there, if any, which is released here unless a reader kept it.
    @usableFromInline
    func assign(_ value: Value) { assign(value) { _ in true } }

    /// As the other form, if a condition holds for the new value; no user code. Under the lock of the cell.
    func assign(_ value: Value, if condition: (Value) -> Bool) {
        let replaced = exchange(value, where: { _ in true }, unless: { !condition(value) })
        // Outside the lock: letting go of it may run a deinitializer.
        withExtendedLifetime(replaced) {}
    }

    /// Empties the cell.
    ///
    /// - Parameter condition: Whether to do so for a value; no user code.
    func clear(where condition: (Value) -> Bool = { _ in true }) {
        let removed = exchange(nil, where: condition)
        withExtendedLifetime(removed) {}
    }

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
