// THE BORDER. The files of this folder are the only ones that import CRegistry or touch unmanaged memory. What C calls a payload is a
// retained `ServiceRegistration<Service>`, under the key that `ServiceKey<Service>` gives: so the type of the key proves the type of
// the payload.
//
// Why the fast paths look as they do:
//
// - They are generic and inlinable, so that they are specialised in the user's module; the C functions are not inlined, so nothing
//   of Concurrency Kit reaches that module and the sanitizers see all of it.
// - What a read section finds is copied by a closure that ends before `hop_section_end` is called. The copy cannot sink below that
//   call: the reference that it is copied from is valid in the closure only, and the call of unknown C code, which might release
//   anything, stands after it.
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

    /// Makes an empty registry, which the caller has to destroy.
    static func make() -> Registry { Registry(raw: hop_registry_make()) }

    /// Releases all registrations. The process-wide registry has no end.
    func destroy() {
        guard let raw else { return }
        hop_registry_destroy(raw, releaseRegistration)
    }
}

// Unchecked, because it is a pointer. Sound, because the C side takes any call from any thread, and the container that owns
// a registry destroys it only when nobody can call it any more.
extension Registry: @unchecked Sendable {}

extension AnyServiceKey {
    @inlinable
    @inline(__always)
    var raw: hop_key { hop_key(type: type, discriminator: discriminator) }
}

extension ServiceKey where Service: ~Copyable {
    @inlinable
    @inline(__always)
    var raw: hop_key { erased.raw }
}

/// Balances the `passRetained` of `push` and `replace`.
func releaseRegistration(_ payload: UnsafeRawPointer) {
    let registration = Unmanaged<AnyServiceRegistration>.fromOpaque(payload).takeRetainedValue()
    registration.disposals?.end()
}

/// Takes a reference and does nothing else: it is called inside a read section.
func retainRegistration(_ payload: UnsafeRawPointer) {
    _ = Unmanaged<AnyObject>.fromOpaque(payload).retain()
}
