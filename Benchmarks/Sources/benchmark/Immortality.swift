/// The reference count of an object as a raw word.
enum ReferenceCount {
    /// The second word of every native Swift object on 64-bit systems.
    static func word(of object: AnyObject) -> UInt64 {
        // Sound, because the caller retains the object.
        let address = UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque())
        // The function is not inlined, so each call loads the word.
        return load(address + 8)
    }

    /// Whether retain and release leave the word unchanged, so that threads do not contend on it. The lower half of such a word
    /// is all ones, as in objects that the compiler lays out statically.
    static func isImmortal(_ word: UInt64) -> Bool { UInt32(truncatingIfNeeded: word) == .max }

    @inline(never)
    @_optimize(none)
    private static func load(_ address: UnsafeRawPointer) -> UInt64 { address.load(as: UInt64.self) }
}
