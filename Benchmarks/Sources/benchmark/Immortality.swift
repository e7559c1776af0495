/// The reference count of an object, as the word that it is.
enum ReferenceCount {
    /// The second word of every native Swift object on 64-bit systems.
    static func word(of object: AnyObject) -> UInt64 {
        // The object is alive: the caller has it.
        let address = UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque())
        // Volatile enough: the function is not inlined, so each call loads.
        return load(address + 8)
    }

    /// Whether retain and release leave the word alone, so that threads that resolve at once do not fight over it: its
    /// lower half is all ones, as the compiler lays out objects that exist from the start.
    static func isImmortal(_ word: UInt64) -> Bool { UInt32(truncatingIfNeeded: word) == .max }

    @inline(never)
    @_optimize(none)
    private static func load(_ address: UnsafeRawPointer) -> UInt64 { address.load(as: UInt64.self) }
}
