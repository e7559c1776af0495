// What the tests put on the stage: registries of their own, payloads that tell what became of them, threads and gates.

import CRegistry
import CTorture
import Foundation
import Testing

/// A payload that counts how often it was let go of. It lives as long as the test does, so that too many are seen.
final class Payload: @unchecked Sendable {
    // Guarded by `lock`, like `retainCount`.
    private let lock = NSLock()
    private var releaseCount = 0
    private var retainCount = 0
    /// Called when the registry releases it, on the thread that does.
    private let onRelease: (@Sendable () -> Void)?

    init(onRelease: (@Sendable () -> Void)? = nil) { self.onRelease = onRelease }

    var pointer: UnsafeRawPointer { UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()) }
    var releases: Int { lock.withLock { releaseCount } }
    var retains: Int { lock.withLock { retainCount } }

    static func at(_ pointer: UnsafeRawPointer) -> Payload {
        Unmanaged<Payload>.fromOpaque(pointer).takeUnretainedValue()
    }

    static let release: hop_release = { pointer in
        let payload = Payload.at(pointer)
        payload.onRelease?()
        payload.lock.withLock { payload.releaseCount += 1 }
    }

    static let retain: hop_retain = { pointer in
        let payload = Payload.at(pointer)
        payload.lock.withLock { payload.retainCount += 1 }
    }
}

extension Payload: Equatable {
    static func == (left: Payload, right: Payload) -> Bool { left === right }
}

/// A registry, and all payloads that were ever put into it.
///
/// Any thread may use it: the registry is made for that, and the list of payloads has a lock.
final class Scene: @unchecked Sendable {
    let registry = hop_registry_make()
    private let lock = NSLock()
    private var payloads: [Payload] = []
    private var isDestroyed = false

    deinit {
        destroy()
        // A payload of ours may still wait for a borrowed section of another suite.
        #expect(eventuallyReleased(payloads))
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
        hop_push(registry, key, payload.pointer)
        return payload
    }

    @discardableResult
    func replace(_ key: hop_key) -> Payload {
        let payload = keep(Payload())
        hop_replace(registry, key, payload.pointer, Payload.release)
        return payload
    }

    @discardableResult
    func remove(_ key: hop_key, _ payload: Payload) -> Bool {
        hop_remove(registry, key, payload.pointer, Payload.release)
    }

    func removeAll() { hop_remove_all(registry, Payload.release) }

    func newest(_ key: hop_key) -> Payload? {
        let found = hop_read_begin(registry, key)
        defer { hop_section_end(found.thread) }
        return found.payload.map(Payload.at)
    }

    /// Runs a closure inside a borrowed section, with what was found.
    func borrow<Result>(_ key: hop_key, _ body: (Payload?) throws -> Result) rethrows -> Result {
        let found = hop_borrow_begin(registry, key)
        defer { hop_borrow_end(found.thread) }
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

/// Whether each payload is released once, now or when the borrowed sections of other suites allow it.
func eventuallyReleased(_ payloads: [Payload]) -> Bool {
    eventually { payloads.allSatisfy { $0.releases >= 1 } } && payloads.allSatisfy { $0.releases == 1 }
}

/// Something that happens once, and can be waited for.
///
/// It is a lock and a condition, and freed when nobody has it any more.
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

/// A thread of its own. (Not a task: those share threads, and a section belongs to one.)
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

/// Another thread, inside a borrowed section from when this is made until it is told to leave.
struct Borrower {
    /// What it found.
    let found: Payload?
    private let leave = Gate()
    private let worker: Worker

    private final class Box: @unchecked Sendable {
        // Written before a gate is opened, read after waiting for it.
        var payload: Payload?
    }

    /// - Parameters:
    ///   - scene: Whose registry is borrowed from.
    ///   - key: What is looked up.
    ///   - exitsInside: Whether the thread ends without having ended its section.
    ///   - body: What it does inside, before it may leave.
    init(_ scene: Scene, _ key: hop_key, exitsInside: Bool = false, body: (@Sendable () -> Void)? = nil) {
        let inside = Gate()
        let leave = leave
        let box = Box()
        worker = Worker {
            let found = hop_borrow_begin(scene.registry, key)
            box.payload = found.payload.map(Payload.at)
            inside.open()
            body?()
            leave.wait()
            if !exitsInside { hop_borrow_end(found.thread) }
        }
        inside.wait()
        found = box.payload
    }

    /// Returns when its section and its thread have ended.
    func end() {
        leave.open()
        worker.join()
    }
}
