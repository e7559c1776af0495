// Names of services by the address of the literal that they were written as, found without a lock. See `NameTable`.

internal import CRegistry

extension Registry {
    /// The registry of names. There is one in a process, and it never ends.
    static var names: Registry { Registry(raw: hop_names()) }

    /// The address of the object that a literal stands for; made the first time, and never freed.
    func discriminator(ofLiteral literal: StaticString, make: () -> AnyObject) -> UInt {
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
func nameEntry(at discriminator: UInt) -> NameEntry {
    // The discriminator of a name is the address of its entry.
    Unmanaged<NameEntry>.fromOpaque(UnsafeRawPointer(bitPattern: discriminator)!).takeUnretainedValue()
}
