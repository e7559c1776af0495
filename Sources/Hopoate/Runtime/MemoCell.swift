// What a property wrapper remembers: a value that is written rarely and read from any thread, without a lock and in one
// allocation.
//
//   state 0   empty                     +--------+-----------+-----------+
//   state 1   the value is in room 1    | header | room 1    | room 2    |
//   state 2   the value is in room 2    +--------+-----------+-----------+
//
// Where it is emptied, the state is zero again, and the other room is free too: whoever still copied from it has been waited for.
//
// A writer fills the room that is not in use, publishes its number, waits until no reader can still be copying from the
// other one, and empties that. Readers copy inside a short read section (the registry's), which is what the writer waits for.
//
// Invariant: a room is written only while the state does not name it and no read section that began when it did is open.
// The race: a reader loads state 1 and is about to copy room 1; a writer assigns twice. Its first assignment ends only
// after the reader's section, and only the second one writes room 1 again.

/// Where the value is, who is writing, and what the owner of the cell wants to keep beside it.
@usableFromInline
struct MemoHeader<Context> {
    /// Which room holds the value; written with release, read with acquire.
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
        withUnsafeMutablePointers { header, rooms in
            let room = header.pointee.state
            if room != 0 { (rooms + Int(room - 1)).deinitialize(count: 1) }
        }
    }

    /// The two words of the header that threads share, and the rooms. The state is at the first, the lock at the second.
    @inlinable
    @inline(__always)
    func withWords<Output>(
        _ body: (_ words: UnsafeMutablePointer<UInt32>, _ rooms: UnsafeMutablePointer<Value>) -> Output
    ) -> Output {
        withUnsafeMutablePointers { header, rooms in
            // Stored properties lie in the order of their declaration, and both are words.
            body(UnsafeMutableRawPointer(header).assumingMemoryBound(to: UInt32.self), rooms)
        }
    }

    /// The value, where there is one.
    @inlinable
    @inline(__always)
    var value: Value? {
        withWords { state, rooms in
            withReadSection(state) { room in room == 0 ? nil : rooms[Int(room - 1)] }
        }
    }

    /// Where the value is, if there is one. For cells that are filled once, and for as long as they live.
    @inlinable
    @inline(__always)
    var room: UnsafePointer<Value>? {
        withWords { state, rooms in
            let room = loadPublished(state)
            return room == 0 ? nil : UnsafePointer(rooms + Int(room - 1))
        }
    }

    /// Fills an empty cell; a full one stays as it is.
    ///
    /// - Returns: What the cell holds afterwards: where two threads fill it at once, both get the same.
    @usableFromInline
    func fill(_ value: Value) -> Value {
        withWords { state, rooms in
            withLock(state + 1) {
                // Under the lock the state does not change, so its room can be read as it is.
                if state.pointee != 0 { return rooms[Int(state.pointee - 1)] }
                rooms.initialize(to: value)
                publish(state, 1)
                return value
            }
        }
    }

    /// Fills a new cell, which nobody else fills.
    @inlinable
    func fillFirst(_ value: Value) {
        withWords { state, rooms in
            rooms.initialize(to: value)
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
        withWords { state, rooms -> Value? in
            withLock(state + 1) {
                let old = state.pointee
                if refusal() { return nil }
                if old != 0, !condition(rooms[Int(old - 1)]) { return nil }
                var new: UInt32 = 0
                if let value {
                    new = old == 1 ? 2 : 1
                    (rooms + Int(new - 1)).initialize(to: value)
                }
                publish(state, new)
                if old == 0 { return nil }
                waitForReads()
                return (rooms + Int(old - 1)).move()
            }
        }
    }
}
