// The border to C. Only the files of this folder import CRegistry. They know no service: a payload is the address of a retained object, and
// the folder Lookup/ knows the types of the objects.

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

    /// Releases all payloads and the registry. The process-wide registry is never destroyed.
    @inline(__always)
    func destroy(_ release: Release) {
        guard let raw else { return }
        hop_registry_destroy(raw, release)
    }
}

// Unchecked, because it is a pointer. Sound, because the C side is thread-safe, and a container destroys its registry only when
// no other reference to the container exists.
extension Registry: @unchecked Sendable {}

/// The two words by which a registry finds a payload. It keeps nothing alive.
@frozen
@usableFromInline
struct RegistryKey: Hashable, Sendable {
    /// The identity of a type or of an object. Not zero.
    @usableFromInline
    let type: UInt

    /// Tells apart payloads of one type; zero if there is only one kind of them.
    @usableFromInline
    let discriminator: UInt

    @inlinable
    @inline(__always)
    init(type: UInt, discriminator: UInt) {
        self.type = type
        self.discriminator = discriminator
    }

    @inlinable
    @inline(__always)
    var raw: hop_key { hop_key(type: type, discriminator: discriminator) }
}

/// Releases a payload that has left its registry. Called outside locks and read sections.
typealias Release = @convention(c) (UnsafeRawPointer) -> Void

/// Releases the payload of a scope slot. Called outside locks and read sections.
private func releaseObject(_ payload: UnsafeRawPointer) { Unmanaged<AnyObject>.fromOpaque(payload).release() }

/// Retains a payload and does nothing else, because it is called inside a read section.
func retainObject(_ payload: UnsafeRawPointer) {
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

/// Returns the object at an address, which must be alive and of the class.
func object<Object: AnyObject>(at address: UInt, as type: Object.Type) -> Object {
    // The caller's guarantee. Every object has an address that is not zero.
    Unmanaged<Object>.fromOpaque(UnsafeRawPointer(bitPattern: address)!).takeUnretainedValue()
}
