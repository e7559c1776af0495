// THE BORDER. The only import of CRegistry, and the only unmanaged pointers. What C calls a payload is a retained
// `ServiceRegistration<Service>`, under the key that `ServiceKey<Service>` gives: so the type of the key is the proof of the
// type of the payload.
//
// Why the fast paths look as they do:
//
// - They are generic and inlinable, so that they are specialised in the user's module; and the C functions are not inlined,
//   so that nothing of Concurrency Kit reaches that module and the sanitizers see all of it.
// - What a short section finds is copied by a closure that ends before `hop_section_end` is called. The copy cannot sink
//   below that call: the reference that it is copied from is valid in the closure only, and after that a call of unknown C
//   code, which might release anything, stands in the way.
// - What a borrowed section finds is not copied at all: the closure of `_withUnsafeGuaranteedRef` spans the user's code.

public import CRegistry

/// The C registry of a container.
@frozen
@usableFromInline
struct Registry {
    /// Nil is the process-wide registry, which lives in C's static storage: a constant, so that the container which holds it
    /// is one too.
    @usableFromInline
    let raw: OpaquePointer?

    @inlinable
    init(raw: OpaquePointer?) {
        self.raw = raw
    }

    /// The process-wide registry.
    @inlinable
    @inline(__always)
    static var process: Registry { Registry(raw: nil) }

    /// An empty registry; to be destroyed.
    static func make() -> Registry { Registry(raw: hop_registry_make()) }

    /// Releases all that is registered. The process-wide registry has no end.
    func destroy() {
        guard let raw else { return }
        hop_registry_destroy(raw, releaseRegistration)
    }
}

// Unchecked, because it is a pointer. Sound, because the C side takes any call from any thread, and the container that owns
// a registry destroys it only when nobody can call it any more.
extension Registry: @unchecked Sendable {}

/// Balances the `passRetained` of `push` and `replace`.
private func releaseRegistration(_ payload: UnsafeRawPointer) {
    Unmanaged<AnyObject>.fromOpaque(payload).release()
}

extension ServiceKey {
    @inlinable
    @inline(__always)
    var raw: hop_key { hop_key(type: type, discriminator: discriminator) }
}

// MARK: - Reading

extension Registry {
    /// The newest service, kept: found or made, and owned by the caller. Nil where nothing is registered.
    @inlinable
    @inline(__always)
    func resolve<Service>(_ key: ServiceKey<Service>) -> Service? {
        let found = hop_read_begin(raw, key.raw)
        guard let payload = found.payload else {
            hop_section_end(found.thread)
            return nil
        }
        let registration = Unmanaged<ServiceRegistration<Service>>.fromOpaque(payload)
        if let instance = registration._withUnsafeGuaranteedRef({ $0.lifetime.instance }) {
            hop_section_end(found.thread)
            return instance
        }
        let creator = registration._withUnsafeGuaranteedRef { $0.lifetime.creator }
        hop_section_end(found.thread)
        return creator?()
    }

    /// The newest service, borrowed: valid in the body only, and not retained where an instance exists. Nil, without a call
    /// of the body, where nothing is registered.
    @inlinable
    @inline(__always)
    func withNewest<Service, Output, Failure: Error>(
        _ key: ServiceKey<Service>, _ body: (Service) throws(Failure) -> Output
    ) throws(Failure) -> Output? {
        let found = hop_borrow_begin(raw, key.raw)
        guard let payload = found.payload else {
            hop_borrow_end(found.thread)
            return nil
        }
        let registration = Unmanaged<ServiceRegistration<Service>>.fromOpaque(payload)
        let outcome = registration._withUnsafeGuaranteedRef { lend($0, to: body) }
        if let outcome {
            hop_borrow_end(found.thread)
            return try outcome.get()
        }
        // Creators never run inside a read section, so what they make is kept for the time of the body.
        let creator = registration._withUnsafeGuaranteedRef { $0.lifetime.creator }
        hop_borrow_end(found.thread)
        guard let creator else { return nil }
        return try body(creator())
    }

    /// All services of a type, newest first; uncached ones are made for this, outside every read section.
    @inlinable
    func resolveAll<Service>(_ key: ServiceKey<Service>) -> [Service] {
        retainedPayloads(key.raw).map { payload in
            // Balances `retainRegistration`.
            let registration = Unmanaged<ServiceRegistration<Service>>.fromOpaque(payload).takeRetainedValue()
            return switch registration.lifetime {
            case .eager(let instance): instance
            case .transient(let creator): creator()
            }
        }
    }

    /// The stack of a key as it stood at one moment, newest first. The caller owns a reference to each.
    @usableFromInline
    func retainedPayloads(_ key: hop_key) -> [UnsafeRawPointer] {
        // High enough for most, so that one look does.
        var capacity = 8
        while true {
            var height = 0
            let payloads = [UnsafeRawPointer](unsafeUninitializedCapacity: capacity) { buffer, count in
                buffer.withMemoryRebound(to: UnsafeRawPointer?.self) {
                    height = hop_copy_stack(raw, key, retainRegistration, $0.baseAddress, capacity)
                }
                // Where they do not fit, nothing was stored and nothing retained.
                count = height <= capacity ? height : 0
            }
            if height <= capacity { return payloads }
            capacity = height
        }
    }

    /// Whether a type is registered.
    @inlinable
    @inline(__always)
    func contains<Service>(_ key: ServiceKey<Service>) -> Bool { hop_contains(raw, key.raw) }

    /// The types that are registered, in no order.
    var types: [Any.Type] {
        var capacity = 0
        while true {
            var count = 0
            let keys = [hop_key](unsafeUninitializedCapacity: capacity) { buffer, initialized in
                count = hop_copy_keys(raw, buffer.baseAddress, capacity)
                initialized = min(count, capacity)
            }
            // The first word of a key is the identity of a type, that is, the metatype.
            if count <= capacity { return keys.map { unsafeBitCast($0.type, to: Any.Type.self) } }
            capacity = count
        }
    }
}

/// Lends the instance of a registration in place. Generic over what cannot be copied, so that the compiler does not copy it.
@inlinable
@inline(__always)
func lend<Service: ~Copyable, Output, Failure: Error>(
    _ registration: ServiceRegistration<Service>, to body: (borrowing Service) throws(Failure) -> Output
) -> Result<Output, Failure>? {
    do throws(Failure) {
        guard let output = try registration.lifetime.withInstance(body) else { return nil }
        return .success(output)
    } catch {
        return .failure(error)
    }
}

/// Called inside a short read section: takes a reference and nothing else.
private func retainRegistration(_ payload: UnsafeRawPointer) {
    _ = Unmanaged<AnyObject>.fromOpaque(payload).retain()
}

// MARK: - Writing

extension Registry {
    /// Puts a registration on top of the stack of its type.
    @inlinable
    func push<Service>(_ registration: ServiceRegistration<Service>) {
        hop_push(raw, ServiceKey<Service>().raw, Unmanaged.passRetained(registration).toOpaque())
    }

    /// Replaces the whole stack of a type by one registration.
    @inlinable
    func replace<Service>(_ registration: ServiceRegistration<Service>) {
        replace(ServiceKey<Service>().raw, by: Unmanaged.passRetained(registration).toOpaque())
    }

    /// Takes a registration out, where it is there.
    @inlinable
    func remove<Service>(_ registration: ServiceRegistration<Service>) {
        remove(ServiceKey<Service>().raw, Unmanaged.passUnretained(registration).toOpaque())
    }

    @usableFromInline
    func replace(_ key: hop_key, by payload: UnsafeMutableRawPointer) {
        hop_replace(raw, key, payload, releaseRegistration)
    }

    @usableFromInline
    func remove(_ key: hop_key, _ payload: UnsafeMutableRawPointer) {
        _ = hop_remove(raw, key, payload, releaseRegistration)
    }

    /// Takes everything out.
    func removeAll() { hop_remove_all(raw, releaseRegistration) }
}

// MARK: - What else needs C

/// Whether some task may have a container of its own bound in the place of the default one. One load.
@inlinable
@inline(__always)
var mayBeOverridden: Bool { hop_shared_is_disputed() }

/// Says that some task is about to.
func raiseOverride() { hop_shared_dispute() }

/// The default container, where it has been asked for and no task may have another one. One load.
@inlinable
@inline(__always)
var undisputedContainer: DependencyContainer? {
    guard let container = hop_shared() else { return nil }
    return Unmanaged<DependencyContainer>.fromOpaque(container).takeUnretainedValue()
}

/// Makes the default container known to `undisputedContainer`. It lives for ever.
func publish(_ container: DependencyContainer) {
    hop_shared_publish(Unmanaged.passUnretained(container).toOpaque())
}

/// Runs a closure in a short read section, with a state that was published to it. See `MemoCell`.
///
/// The closure must only copy: no user code, nothing that blocks.
@inlinable
@inline(__always)
func withReadSection<Output>(_ state: UnsafePointer<UInt32>, _ copy: (UInt32) -> Output) -> Output {
    let thread = hop_section_begin()
    let output = copy(hop_word_load(state))
    hop_section_end(thread)
    return output
}

/// Runs a closure that may wait for readers but runs no user code, while no other thread runs one with the same lock.
func withLock<Output>(_ lock: UnsafeMutablePointer<UInt32>, _ body: () -> Output) -> Output {
    hop_lock_acquire(lock)
    defer { hop_lock_release(lock) }
    return body()
}

/// Publishes a state to `withReadSection`.
func publish(_ state: UnsafeMutablePointer<UInt32>, _ value: UInt32) { hop_word_store(state, value) }

/// Waits until no read section can still see what was published before.
func waitForReads() { hop_wait_for_reads() }
