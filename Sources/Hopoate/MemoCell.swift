// What a property wrapper remembers: a value that is written rarely and read from any thread, without a lock and in one
// allocation.
//
//   state 0   empty                     +--------+-----------+-----------+
//   state 1   the value is in room 1    | header | room 1    | room 2    |
//   state 2   the value is in room 2    +--------+-----------+-----------+
//
// A writer fills the room that is not in use, publishes its number, waits until no reader can still be copying from the
// other one, and empties that. Readers copy inside a short read section (the registry's), which is what the writer waits for.
//
// Invariant: a room is written only while the state does not name it and no read section that began when it did is open.
// The race: a reader loads state 1 and is about to copy room 1; a writer assigns twice. Its first assignment ends only
// after the reader's section, and only the second one writes room 1 again.

/// Where the value is, who is writing, and what it takes to fill the cell for the first time.
@usableFromInline
struct MemoHeader {
    /// Which room holds the value; written with release, read with acquire.
    @usableFromInline
    var state: UInt32 = 0
    /// Serialises writers.
    @usableFromInline
    var lock: UInt32 = 0
    @usableFromInline
    let container: DependencyContainer
    @usableFromInline
    let callSite: CallSite

    @inlinable
    init(container: DependencyContainer, callSite: CallSite) {
        self.container = container
        self.callSite = callSite
    }
}

@usableFromInline
final class MemoCell<Value>: ManagedBuffer<MemoHeader, Value> {
    @inlinable
    static func make(container: DependencyContainer, callSite: CallSite) -> MemoCell<Value> {
        let cell = create(minimumCapacity: 2) { _ in MemoHeader(container: container, callSite: callSite) }
        // `create` makes an instance of the class that it is called on.
        return unsafeDowncast(cell, to: MemoCell<Value>.self)
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

    /// Puts a value in the place of the one that is there, if any, which is released here unless a reader kept it.
    @usableFromInline
    func assign(_ value: Value) {
        let replaced = withWords { state, rooms -> Value? in
            withLock(state + 1) {
                let old = state.pointee
                let new: UInt32 = old == 1 ? 2 : 1
                (rooms + Int(new - 1)).initialize(to: value)
                publish(state, new)
                if old == 0 { return nil }
                waitForReads()
                return (rooms + Int(old - 1)).move()
            }
        }
        // Outside the lock: letting go of it may run a deinitializer.
        withExtendedLifetime(replaced) {}
    }
}
