// The common fixtures: registries, payloads that count their releases, threads and gates.

import CRegistry
import CTorture
import Foundation
import Testing

/// A payload that counts its releases. It lives as long as the test, so that a second release is detected.
final class Payload: @unchecked Sendable {
    // Guarded by `lock`, like the other variables.
    private let lock = NSLock()
    private var releaseCount = 0
    private var retainCount = 0
    private var notedNumber: Int?
    private var releasingThread: pthread_t?
    /// Called upon release, on the releasing thread.
    private let onRelease: (@Sendable () -> Void)?

    init(onRelease: (@Sendable () -> Void)? = nil) { self.onRelease = onRelease }

    var pointer: UnsafeRawPointer { UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()) }
    var releases: Int { lock.withLock { releaseCount } }
    /// Whether the calling thread has released it last.
    var wasReleasedHere: Bool {
        lock.withLock { releasingThread.map { pthread_equal($0, pthread_self()) != 0 } ?? false }
    }
    var retains: Int { lock.withLock { retainCount } }
    /// The number that its registry has given it; nil before that.
    var number: Int? { lock.withLock { notedNumber } }

    static func at(_ pointer: UnsafeRawPointer) -> Payload {
        Unmanaged<Payload>.fromOpaque(pointer).takeUnretainedValue()
    }

    static let release: hop_release = { pointer in
        let payload = Payload.at(pointer)
        payload.onRelease?()
        payload.lock.withLock {
            payload.releasingThread = pthread_self()
            payload.releaseCount += 1
        }
    }

    static let noteNumber: hop_note_number = { pointer, number in
        let payload = Payload.at(pointer)
        payload.lock.withLock { payload.notedNumber = number }
    }

    static let retain: hop_retain = { pointer in
        let payload = Payload.at(pointer)
        payload.lock.withLock { payload.retainCount += 1 }
    }
}

extension Payload: Equatable {
    static func == (left: Payload, right: Payload) -> Bool { left === right }
}

/// A registry and all payloads that were ever pushed to it.
///
/// Thread-safe: so is the registry, and a lock guards the list of payloads.
final class Scene: @unchecked Sendable {
    let registry = hop_registry_make()
    private let lock = NSLock()
    private var payloads: [Payload] = []
    private var isDestroyed = false

    deinit {
        destroy()
        #expect(areReleasedOnce(payloads))
    }

    func destroy() {
        if isDestroyed { return }
        isDestroyed = true
        hop_registry_destroy(registry, Payload.release)
    }

    private func keep(_ payload: Payload) -> Payload {
        lock.withLock { payloads.append(payload) }
        return payload
    }

    @discardableResult
    func push(_ key: hop_key, onRelease: (@Sendable () -> Void)? = nil) -> Payload {
        let payload = keep(Payload(onRelease: onRelease))
        hop_push(registry, key, payload.pointer, Payload.noteNumber)
        return payload
    }

    @discardableResult
    func replace(_ key: hop_key) -> Payload {
        let payload = keep(Payload())
        hop_replace(registry, key, payload.pointer, Payload.noteNumber, Payload.release)
        return payload
    }

    /// Replaces the stacks of several keys in one step, each by new payloads, and returns these.
    @discardableResult
    func replaceEntries(_ keys: [hop_key]) -> [Payload] {
        let payloads = keys.map { _ in keep(Payload()) }
        let entries = zip(keys, payloads).map { hop_entry(key: $0, payload: $1.pointer) }
        hop_replace_entries(registry, entries, entries.count, Payload.noteNumber, Payload.release)
        return payloads
    }

    @discardableResult
    func remove(_ key: hop_key, _ payload: Payload) -> Bool {
        hop_remove(registry, key, payload.pointer, Payload.release)
    }

    /// Removes the payload with a number, or nothing if that is not the given one.
    @discardableResult
    func remove(_ key: hop_key, numbered number: Int, _ payload: Payload? = nil) -> Bool {
        hop_remove_numbered(registry, key, number, payload?.pointer, Payload.release)
    }

    func removeAll() { hop_remove_all(registry, Payload.release) }

    func newest(_ key: hop_key) -> Payload? {
        let found = hop_read_begin(registry, key)
        defer { hop_section_end(found.thread) }
        return found.payload.map(Payload.at)
    }

    /// Removes payloads that are the only ones of their keys.
    func removeEntries(_ payloads: [(key: hop_key, payload: Payload)]) {
        let entries = payloads.map { hop_entry(key: $0.key, payload: $0.payload.pointer) }
        hop_remove_entries(registry, entries, entries.count, 1, Payload.release)
    }

    /// Runs a closure while the thread borrows the newest payload of a key. The closure gets nil if nothing is borrowed.
    func borrow<Result>(_ key: hop_key, _ body: (Payload?) throws -> Result) rethrows -> Result {
        let found = hop_borrow_begin(registry, key)
        #expect((found.payload == nil) == (found.borrow == nil))
        defer { if let borrow = found.borrow { hop_borrow_end(borrow) } }
        return try body(found.payload.map(Payload.at))
    }

    func stack(_ key: hop_key) -> [Payload] {
        let height = hop_copy_stack(registry, key, Payload.retain, nil, 0)
        var buffer = [UnsafeRawPointer?](repeating: nil, count: height)
        #expect(hop_copy_stack(registry, key, Payload.retain, &buffer, height) == height)
        return buffer.compactMap { $0.map(Payload.at) }
    }

    func keys() -> [hop_key] {
        var buffer = [hop_key](repeating: hop_key(), count: hop_copy_keys(registry, nil, 0))
        #expect(hop_copy_keys(registry, &buffer, buffer.count) == buffer.count)
        return buffer
    }
}

/// Returns whether each payload is released once.
func areReleasedOnce(_ payloads: [Payload]) -> Bool { payloads.allSatisfy { $0.releases == 1 } }

/// Returns whether no payload is released.
func areUnreleased(_ payloads: [Payload]) -> Bool { payloads.allSatisfy { $0.releases == 0 } }

/// An event that happens once and can be waited for.
///
/// It consists of a lock and a condition, and is freed with its last reference.
final class Gate: @unchecked Sendable {
    private let gate = torture_gate_make()

    deinit { torture_gate_free(gate) }

    func open() { torture_gate_open(gate) }

    /// Returns whether the gate was opened in time.
    @available(*, noasync)
    @discardableResult
    func wait(milliseconds: UInt32 = patience) -> Bool {
        if milliseconds != 0 { expectMayBlock() }
        return torture_gate_wait(gate, milliseconds)
    }
}

/// A thread. Not a task, because tasks share threads and a section belongs to one thread.
struct Worker {
    private let thread: OpaquePointer

    private final class Body {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    init(_ run: @escaping @Sendable () -> Void) {
        let body = Unmanaged.passRetained(Body(run))
        thread = torture_thread_start(
            { context in context.map { Unmanaged<Body>.fromOpaque($0).takeRetainedValue().run() } }, body.toOpaque())
    }

    @available(*, noasync)
    func join() {
        expectMayBlock()
        torture_thread_join(thread)
    }
}

/// Another thread, which borrows payloads from its initialization until `end()`.
struct Borrower {
    /// The payload of the first key; nil if nothing is borrowed.
    let found: Payload?
    private let leave = Gate()
    private let worker: Worker

    private final class Box: @unchecked Sendable {
        // Written before a gate is opened, and read after waiting for it.
        var payload: Payload?
    }

    /// - Parameters:
    ///   - scene: The registry to borrow from.
    ///   - keys: The keys of the payloads, in the order in which they are borrowed. The borrows end in the same order.
    ///   - exitsInside: Whether the thread exits without ending its borrows.
    ///   - body: Runs inside the borrows, before the thread may end them.
    ///   - afterwards: Runs on the thread when the borrows have ended.
    init(
        _ scene: Scene, _ keys: hop_key..., exitsInside: Bool = false, body: (@Sendable () -> Void)? = nil,
        afterwards: (@Sendable () -> Void)? = nil
    ) {
        let inside = Gate()
        let leave = leave
        let box = Box()
        worker = Worker {
            let found = keys.map { hop_borrow_begin(scene.registry, $0) }
            box.payload = found.first?.payload.map(Payload.at)
            inside.open()
            body?()
            leave.wait()
            if !exitsInside { for borrow in found.compactMap(\.borrow) { hop_borrow_end(borrow) } }
            afterwards?()
        }
        inside.wait()
        found = box.payload
    }

    /// Lets the thread end the borrows, and returns before.
    func allowEnd() { leave.open() }

    /// Ends the borrows and the thread, and returns after both.
    func end() {
        leave.open()
        worker.join()
    }
}
