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
    let registration = Unmanaged<AnyServiceRegistration>.fromOpaque(payload).takeRetainedValue()
    registration.disposals?.end()
}

extension ServiceKey where Service: ~Copyable {
    @inlinable
    @inline(__always)
    var raw: hop_key { hop_key(type: type, discriminator: discriminator) }
}

// MARK: - Reading

extension Registry {
    /// The newest service, kept: found or made, and owned by the caller. Nil where nothing is registered.
    @inlinable
    @inline(__always)
    func resolve<Service>(
        _ key: ServiceKey<Service>, _ request: @autoclosure () -> Request
    ) throws(DependencyError) -> Service? {
        let found = hop_read_begin(raw, key.raw)
        guard let payload = found.payload else {
            hop_section_end(found.thread)
            return nil
        }
        let registration = Unmanaged<ServiceRegistration<Service>>.fromOpaque(payload)
        let instance = registration._withUnsafeGuaranteedRef { $0.source.registeredInstance }
        if _slowPath(instance == nil) {
            if let instance = registration._withUnsafeGuaranteedRef({ $0.source.room?.pointee }) {
                hop_section_end(found.thread)
                return instance
            }
            guard let creator = registration._withUnsafeGuaranteedRef({ $0.source.creator }) else {
                return try resolveNew(found, key, request())
            }
            hop_section_end(found.thread)
            return makeInstance(key, creator)
        }
        hop_section_end(found.thread)
        return instance
    }

    /// Where there is no instance yet and more to do than to call a creator. Ends the section. Not inlined, so that the path of
    /// those that exist is short, but specialised.
    @inlinable
    @inline(never)
    func resolveNew<Service>(
        _ found: hop_found, _ key: ServiceKey<Service>, _ request: Request
    ) throws(DependencyError) -> Service? {
        guard let payload = found.payload else { return nil }
        let unmanaged = Unmanaged<ServiceRegistration<Service>>.fromOpaque(payload)
        if let factory = unmanaged._withUnsafeGuaranteedRef({ $0.source.factory }) {
            hop_section_end(found.thread)
            return try makeInstance(key, (), request) { container, _ in try factory(container) }
        }
        let recipe = unmanaged._withUnsafeGuaranteedRef { $0.source.recipe(taking: Void.self) }
        hop_section_end(found.thread)
        return try recipe?.instance(key, (), request)
    }

    /// As `resolve`, for a service whose creator takes arguments.
    @inlinable
    @inline(__always)
    func resolve<Service, Arguments>(
        _ key: ServiceKey<Service>, _ arguments: Arguments, _ request: @autoclosure () -> Request
    ) throws(DependencyError) -> Service? {
        let found = hop_read_begin(raw, key.raw)
        guard let payload = found.payload else {
            hop_section_end(found.thread)
            return nil
        }
        let registration = Unmanaged<ServiceRegistration<Service>>.fromOpaque(payload)
        if let creator = registration._withUnsafeGuaranteedRef({ $0.source.plainCreator(taking: Arguments.self) }) {
            hop_section_end(found.thread)
            return try makeInstance(key, arguments, request(), creator)
        }
        let recipe = registration._withUnsafeGuaranteedRef { $0.source.recipe(taking: Arguments.self) }
        hop_section_end(found.thread)
        return try recipe?.instance(key, arguments, request())
    }

    /// The newest registration, kept. Nil where there is none.
    @usableFromInline
    func newest<Service>(_ key: ServiceKey<Service>) -> ServiceRegistration<Service>? {
        let found = hop_read_begin(raw, key.raw)
        defer { hop_section_end(found.thread) }
        return found.payload.map { Unmanaged<ServiceRegistration<Service>>.fromOpaque($0).takeUnretainedValue() }
    }

    /// The newest service, borrowed: valid in the body only, and not retained where it lives as long as its registration. Nil,
    /// without a call of the body, where nothing is registered.
    @inlinable
    @inline(__always)
    func withNewest<Service, Output, Failure: Error>(
        _ key: ServiceKey<Service>, _ request: @autoclosure () -> Request, _ body: (Service) throws(Failure) -> Output
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
        return try withMade(found, key, request(), body)
    }

    /// As `resolveNew`, for `withNewest`.
    @inlinable
    @inline(never)
    func withMade<Service, Output, Failure: Error>(
        _ found: hop_found, _ key: ServiceKey<Service>, _ request: Request, _ body: (Service) throws(Failure) -> Output
    ) throws(Failure) -> Output? {
        guard let payload = found.payload else { return nil }
        let unmanaged = Unmanaged<ServiceRegistration<Service>>.fromOpaque(payload)
        if let room = unmanaged._withUnsafeGuaranteedRef({ $0.source.room }) {
            // The cell stays full until the registration ends, and that waits for this section.
            let outcome = lend(room, to: body)
            hop_borrow_end(found.thread)
            return try outcome.get()
        }
        // Creators never run inside a read section, so what they make is kept for the time of the body.
        let registration = unmanaged.takeUnretainedValue()
        hop_borrow_end(found.thread)
        return try body(registration.makeOrFail(key, request))
    }

    /// As the other one, for services that cannot be copied; these exist already.
    @inlinable
    @inline(__always)
    func withNewest<Service: ~Copyable, Output, Failure: Error>(
        noncopyable key: ServiceKey<Service>, _ body: (borrowing Service) throws(Failure) -> Output
    ) throws(Failure) -> Output? {
        let found = hop_borrow_begin(raw, key.raw)
        guard let payload = found.payload else {
            hop_borrow_end(found.thread)
            return nil
        }
        let registration = Unmanaged<ServiceRegistration<Service>>.fromOpaque(payload)
        let outcome = registration._withUnsafeGuaranteedRef { lend($0, to: body) }
        hop_borrow_end(found.thread)
        return try outcome?.get()
    }

    /// All services of a key, newest first, those that do not exist yet made for this, outside every read section.
    @inlinable
    func resolveAll<Service>(_ key: ServiceKey<Service>, _ request: Request) -> [Service] {
        retainedPayloads(key.raw).map { payload in
            // Balances `retainRegistration`.
            let registration = Unmanaged<ServiceRegistration<Service>>.fromOpaque(payload).takeRetainedValue()
            if let instance = registration.source.registeredInstance { return instance }
            return registration.makeOrFail(key, request)
        }
    }

    /// All registrations of a key as they stood at one moment, newest first.
    func stack<Service>(_ key: ServiceKey<Service>) -> [ServiceRegistration<Service>] {
        // As in `resolveAll`.
        retainedPayloads(key.raw).map { Unmanaged<ServiceRegistration<Service>>.fromOpaque($0).takeRetainedValue() }
    }

    /// All registrations, those of one key newest first.
    func registrations() -> [AnyServiceRegistration] {
        keys().filter { $0.discriminator != ScopedSlotKey.discriminator }.flatMap { key in
            // As in `resolveAll`.
            retainedPayloads(key).map { Unmanaged<AnyServiceRegistration>.fromOpaque($0).takeRetainedValue() }
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

    /// The keys that have a registration, in no order.
    /// The words of a `ServiceKey`, whatever its type.
    struct Key {
        let type: UInt
        let discriminator: UInt
    }

    /// The newest registration of a key, kept.
    func newest(_ key: Key) -> AnyServiceRegistration? {
        let found = hop_read_begin(raw, hop_key(type: key.type, discriminator: key.discriminator))
        defer { hop_section_end(found.thread) }
        return found.payload.map { Unmanaged<AnyServiceRegistration>.fromOpaque($0).takeUnretainedValue() }
    }

    /// The first keys with a registration that are found, in no order; and whether these are all.
    func someKeys(atMost limit: Int) -> (keys: [Key], isComplete: Bool) {
        if limit == 0 { return ([], false) }
        var isComplete = false
        let found = [hop_key](unsafeUninitializedCapacity: limit) { buffer, initialized in
            guard let base = buffer.baseAddress else { return }
            initialized = hop_copy_first_keys(raw, base, limit, &isComplete)
        }
        let keys = found.lazy.filter { $0.discriminator != ScopedSlotKey.discriminator }
        return (keys.map { Key(type: $0.type, discriminator: $0.discriminator) }, isComplete)
    }

    private func keys() -> [hop_key] {
        // Not zero: an array without room is one that all threads share, and its count would be written.
        var capacity = 8
        while true {
            var count = 0
            let keys = [hop_key](unsafeUninitializedCapacity: capacity) { buffer, initialized in
                count = hop_copy_keys(raw, buffer.baseAddress, capacity)
                initialized = min(count, capacity)
            }
            if count <= capacity { return keys }
            capacity = count
        }
    }

    /// Whether something is registered.
    @inlinable
    @inline(__always)
    func contains<Service: ~Copyable>(_ key: ServiceKey<Service>) -> Bool { hop_contains(raw, key.raw) }
}

/// Lends the instance of a registration in place. Generic over what cannot be copied, so that the compiler does not copy it.
@inlinable
@inline(__always)
func lend<Service: ~Copyable, Output, Failure: Error>(
    _ registration: ServiceRegistration<Service>, to body: (borrowing Service) throws(Failure) -> Output
) -> Result<Output, Failure>? {
    do throws(Failure) {
        guard let output = try registration.source.withInstance(body) else { return nil }
        return .success(output)
    } catch {
        return .failure(error)
    }
}

/// As the other one, for an instance in a cell.
@inlinable
@inline(__always)
func lend<Service: ~Copyable, Output, Failure: Error>(
    _ room: UnsafePointer<Service>, to body: (borrowing Service) throws(Failure) -> Output
) -> Result<Output, Failure> {
    do throws(Failure) {
        return .success(try body(room.pointee))
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
    /// Puts a registration on top of the stack of its key.
    ///
    /// - Returns: Whether the registry took it: a sealed one does not.
    @inlinable
    func push<Service: ~Copyable>(_ registration: ServiceRegistration<Service>) -> Bool {
        let payload = Unmanaged.passRetained(registration)
        if hop_push(raw, registration.key, payload.toOpaque()) { return true }
        payload.release()
        return false
    }

    /// Replaces the whole stack of a key by one registration.
    ///
    /// - Returns: As `push`.
    @usableFromInline
    func replace<Service: ~Copyable>(_ registration: ServiceRegistration<Service>) -> Bool {
        let payload = Unmanaged.passRetained(registration)
        if hop_replace(raw, registration.key, payload.toOpaque(), releaseRegistration) { return true }
        payload.release()
        return false
    }

    /// Takes a registration out, where it is there.
    func remove(_ registration: AnyServiceRegistration) {
        _ = hop_remove(raw, registration.key, Unmanaged.passUnretained(registration).toOpaque(), releaseRegistration)
    }

    /// Takes everything out.
    func removeAll() { hop_remove_all(raw, releaseRegistration) }

    /// Refuses `push` and `replace` from now on.
    func seal() { hop_seal(raw) }

    /// Whether it refuses them.
    var isSealed: Bool { hop_is_sealed(raw) }
}

// MARK: - What a container keeps beside its registrations

extension Registry {
    /// The instance that a container keeps under a key, where it does.
    @inlinable
    @inline(__always)
    func scopedInstance<Service>(_ key: ScopedSlotKey, _ type: Service.Type) -> Service? {
        let found = hop_read_begin(raw, key.raw)
        defer { hop_section_end(found.thread) }
        guard let payload = found.payload else { return nil }
        // What is under the key of a recipe is a slot for what the recipe makes.
        return Unmanaged<ScopedSlot<Service>>.fromOpaque(payload)._withUnsafeGuaranteedRef {
            $0.room?.pointer(to: type)?.pointee
        }
    }

    /// The slot that a container keeps of a recipe, where it does.
    func scopedSlot(_ key: ScopedSlotKey) -> AnyServiceRegistration? {
        let found = hop_read_begin(raw, key.raw)
        defer { hop_section_end(found.thread) }
        return found.payload.map { Unmanaged<AnyServiceRegistration>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Adds a slot, unless another thread just did; and says which one it is.
    @usableFromInline
    func addScopedSlot(_ key: ScopedSlotKey, _ slot: AnyServiceRegistration) -> AnyServiceRegistration {
        let payload = Unmanaged.passRetained(slot)
        let winner = hop_find_or_push(raw, key.raw, payload.toOpaque(), retainRegistration)
        // Balances `retainRegistration`.
        let kept = Unmanaged<AnyServiceRegistration>.fromOpaque(winner).takeRetainedValue()
        if kept !== slot { payload.release() }
        return kept
    }

    /// What is attached, which stays so until the end of the registry.
    var state: ContainerState? {
        hop_attachment(raw).map { Unmanaged<ContainerState>.fromOpaque($0).takeUnretainedValue() }
    }

    /// What is attached; made where there was nothing yet.
    func attachState() -> ContainerState {
        let new = Unmanaged.passRetained(ContainerState())
        let attached = Unmanaged<ContainerState>.fromOpaque(hop_attach(raw, new.toOpaque()))
        if attached.toOpaque() != new.toOpaque() { new.release() }
        return attached.takeUnretainedValue()
    }

    /// Balances `attachState`, at the end of the container.
    func detachState() {
        if let state = hop_attachment(raw) { Unmanaged<ContainerState>.fromOpaque(state).release() }
    }
}

extension AnyServiceRegistration {
    @inlinable
    @inline(__always)
    var key: hop_key { hop_key(type: type, discriminator: discriminator) }
}

extension ScopedSlotKey {
    @inlinable
    @inline(__always)
    var raw: hop_key { hop_key(type: type, discriminator: Self.discriminator) }
}

// MARK: - Names

extension Registry {
    /// The registry of names, which is one for the process.
    static var names: Registry { Registry(raw: hop_names()) }

    /// The object that is attached to a registry that never ends; made if there is none. Always of the same type.
    func attached<Object: AnyObject>(_ make: () -> Object) -> Object {
        let new = Unmanaged.passRetained(make())
        let attached = hop_attach(raw, new.toOpaque())
        if attached != UnsafeRawPointer(new.toOpaque()) { new.release() }
        return Unmanaged<Object>.fromOpaque(attached).takeUnretainedValue()
    }

    /// The identity of the object that a literal stands for; made the first time and then kept for ever.
    func identity(ofLiteral literal: StaticString, make: () -> AnyObject) -> UInt {
        // A literal is at an address, or it is a single scalar, whose value is less than any address.
        let key =
            literal.hasPointerRepresentation
            ? hop_key(type: UInt(bitPattern: literal.utf8Start), discriminator: UInt(literal.utf8CodeUnitCount))
            : hop_key(type: UInt(literal.unicodeScalar.value) + 1, discriminator: 0)
        let found = hop_read_begin(raw, key)
        hop_section_end(found.thread)
        // Nothing is ever removed here, so what was found stays.
        if let payload = found.payload { return UInt(bitPattern: payload) }
        let made = Unmanaged.passRetained(make())
        let winner = hop_find_or_push(raw, key, made.toOpaque()) { _ in }
        if winner != UnsafeRawPointer(made.toOpaque()) { made.release() }
        return UInt(bitPattern: winner)
    }
}

/// The entry of a name, which must be alive.
func nameEntry(at identity: UInt) -> NameEntry {
    // The identity of a name is the address of its entry.
    Unmanaged<NameEntry>.fromOpaque(UnsafeRawPointer(bitPattern: identity)!).takeUnretainedValue()
}

// MARK: - What else needs C

/// Whether some task may have a container of its own bound in the place of the default one. One load.
@inlinable
@inline(__always)
var mayBeOverridden: Bool { hop_shared_is_disputed() }

/// Says that some task is about to.
func raiseOverride() { hop_shared_dispute() }

/// The default container, if it has been asked for, no task may have another one, and this thread runs no factory. Two loads.
@inlinable
@inline(__always)
var undisputedContainer: DependencyContainer? {
    guard innermostFrame == nil, let container = hop_shared() else { return nil }
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

/// What `withReadSection` loads, for a caller that is in a read section already.
@inlinable
@inline(__always)
func loadPublished(_ state: UnsafePointer<UInt32>) -> UInt32 { hop_word_load(state) }

/// Adds one to a word that other threads read and raise.
func increment(_ word: UnsafeMutablePointer<UInt32>) { _ = hop_word_increment(word) }

/// Takes a lock: a word that is zero while nobody holds it. For a few instructions that run no user code.
func acquireLock(_ lock: UnsafeMutablePointer<UInt32>) { hop_lock_acquire(lock) }

/// Gives a lock back.
func releaseLock(_ lock: UnsafeMutablePointer<UInt32>) { hop_lock_release(lock) }

/// Runs a closure that may wait for readers but runs no user code, while no other thread runs one with the same lock.
func withLock<Output>(_ lock: UnsafeMutablePointer<UInt32>, _ body: () -> Output) -> Output {
    hop_lock_acquire(lock)
    defer { hop_lock_release(lock) }
    return body()
}

/// Publishes a state to `withReadSection`.
@inlinable
@inline(__always)
func publish(_ state: UnsafeMutablePointer<UInt32>, _ value: UInt32) { hop_word_store(state, value) }

/// Waits until no read section can still see what was published before.
func waitForReads() { hop_wait_for_reads() }

/// A thread that sleeps until another one wakes it.
// Unchecked, because of the pointer. Sound, because the C side takes a sleep and a wake from different threads.
final class Sleeper: @unchecked Sendable {
    private let raw = hop_sleeper_make()

    deinit { hop_sleeper_destroy(raw) }

    func sleep() { hop_sleeper_sleep(raw) }

    func wake() { hop_sleeper_wake(raw) }
}

/// Resumes a task without a report of ThreadSanitizer.
///
/// `resume()` reads the continuation, which lies in the memory of the task. A task that is resumed before it is suspended goes on
/// at once, and the runtime tells the sanitizer of that order only where the task is enqueued. So the read is hidden. What the task
/// looks at afterwards it finds under a lock, which the sanitizer knows.
func resumeHidden(_ continuation: UnsafeContinuation<Void, Never>) {
    hop_reads_hide()
    continuation.resume()
    hop_reads_show()
}

/// The innermost frame of this thread. One load.
@inlinable
@inline(__always)
var innermostFrame: UnsafeMutablePointer<Frame>? {
    // Nothing else is ever stored there.
    hop_thread_word_load()?.assumingMemoryBound(to: Frame.self)
}

/// Sets the innermost frame of this thread, which has to stay alive until it is set to another one.
@inlinable
@inline(__always)
func setInnermostFrame(_ frame: UnsafeMutablePointer<Frame>?) { hop_thread_word_store(frame) }

/// Whether this thread has used up nearly all of its stack.
func isStackLow() -> Bool { hop_stack_is_low() }

/// Whether anybody in this process notes what is registered on its own thread, or creates a service in a task. One load.
@inlinable
@inline(__always)
var isWatched: Bool { hop_is_watched() }

/// Says that somebody does.
func beginWatching() { hop_watch_begin() }

/// Says that somebody does not any more.
func endWatching() { hop_watch_end() }
