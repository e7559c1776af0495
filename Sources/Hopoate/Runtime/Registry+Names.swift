// Names of services, found without a lock by the address of the literal that they were written as. See `NameTable`.

internal import CRegistry

extension Registry {
    /// The registry of names. The process has one, and it never ends.
    static var names: Registry { Registry(raw: hop_names()) }

    /// Returns the address of the object that belongs to a literal. The object is made on first use, and never freed.
    func discriminator(ofLiteral literal: StaticString, make: () -> AnyObject) -> UInt {
        // A literal has an address, or it is a single scalar, whose value is less than any address.
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
