// The border to C. Only the files of this folder import CRegistry, or use unmanaged memory.
//
// A payload, in the terms of C, is a retained `ServiceRegistration<Service>`. It is stored under the key that
// `ServiceKey<Service>` gives, so the type of the key proves the type of the payload.
//
// Why the fast paths have their form:
//
// - They are generic and inlinable, so they are specialised in the user's module. All the rest is not: see Registry+Resolve.swift. The
//   C functions are not inlined: nothing of Concurrency Kit reaches that module, and the sanitizers see all of it.
// - `resolve` copies the instance inside a closure, which ends before the call of `hop_section_end`. The compiler cannot move the
//   copy behind that call: the borrowed reference is valid only inside the closure, and the call is one of unknown C code, which
//   might release anything.
// - `withExisting` does not copy the instance at all: the closure of `_withUnsafeGuaranteedRef` contains the call of the user's code.

public import CRegistry

/// The C registry of a container.
@frozen
@usableFromInline
struct Registry {
    /// The address of the registry. Nil is the process-wide one, which is in C's static storage. As nil is a constant, the default
    /// container is one too.
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

    /// Whether this is the process-wide registry, that of the default container.
    @inline(__always)
    var isProcess: Bool { raw == nil }

    /// Makes an empty registry, which the caller has to destroy.
    static func make() -> Registry { Registry(raw: hop_registry_make()) }

    /// Makes the empty registry of a child container, which the caller has to destroy.
    static func makeChild(of parent: Registry) -> Registry {
        Registry(raw: hop_registry_make_child(parent.raw, releaseObject))
    }

    /// Releases all registrations and the registry. The process-wide registry is never destroyed.
    func destroy() {
        guard let raw else { return }
        hop_registry_destroy(raw, releaseRegistration)
    }
}

// Unchecked, because it is a pointer. Sound, because the C side is thread-safe, and a container destroys its registry only when
// no other reference to the container exists.
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

/// Releases a registration that the registry had retained, and ends its disposals. Called outside locks and read sections.
@inline(__always)  // Into the function that C calls, so that there is one call, not two.
func releaseRegistration(_ payload: UnsafeRawPointer) {
    let registration = Unmanaged<AnyServiceRegistration>.fromOpaque(payload).takeRetainedValue()
    registration.disposals?.end()
}

/// Releases the payload of a scope slot. Called outside locks and read sections.
func releaseObject(_ payload: UnsafeRawPointer) { Unmanaged<AnyObject>.fromOpaque(payload).release() }

/// Retains a registration and does nothing else, because it is called inside a read section.
func retainRegistration(_ payload: UnsafeRawPointer) {
    _ = Unmanaged<AnyObject>.fromOpaque(payload).retain()
}

// MARK: - Names

// Names of services, found without a lock by the address of the literal that they were written as. See `NameTable`.

extension Registry {
    /// The registry of names. The process has one, and it never ends.
    static var names: Registry { Registry(raw: hop_names()) }

    /// Returns the address of the object that belongs to a literal. The object is made on first use, and never freed.
    func discriminator(ofLiteral literal: StaticString, make: () -> AnyObject) -> UInt {
        // The compiler passes a literal by its address or, if the literal is one Unicode scalar, by the value of the scalar. Scalar values
        // are less than all addresses, so no two literals of different forms have the same key.
        let key =
            literal.hasPointerRepresentation
            ? hop_key(type: UInt(bitPattern: literal.utf8Start), discriminator: UInt(literal.utf8CodeUnitCount))
            : hop_key(type: UInt(literal.unicodeScalar.value) + 1, discriminator: 0)
        let found = hop_read_begin(raw, key)
        hop_section_end(found.thread)
        // This registry never removes anything, so the payload stays valid after the section.
        if let payload = found.payload { return UInt(bitPattern: payload) }
        let made = Unmanaged.passRetained(make())
        let winner = hop_find_or_push(raw, key, made.toOpaque(), { _ in }, nil)
        if winner != UnsafeRawPointer(made.toOpaque()) { made.release() }
        return UInt(bitPattern: winner)
    }
}

/// Returns the entry of a name, which must be alive.
func nameEntry(at discriminator: UInt) -> NameEntry {
    // The discriminator of a name is the address of its entry.
    Unmanaged<NameEntry>.fromOpaque(UnsafeRawPointer(bitPattern: discriminator)!).takeUnretainedValue()
}
