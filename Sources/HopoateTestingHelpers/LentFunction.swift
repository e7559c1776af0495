// How to abandon a function that must not escape.
//
// The testing library passes each test to its trait as a function that must not escape. An abandoned test never returns from it:
// the parked thread stays inside for ever, while the trait returns to the testing library. That is sound. The memory of the
// function is accessed only on entry, which is over, and on return, which never happens. But the compiler cannot know that. At
// the end of the closure of `withoutActuallyEscaping` it checks for other references to the function, and traps if there are any.
// So the task that runs the function gets a copy of its context, with a reference count of its own.

/// A copy of a function from `withoutActuallyEscaping`. It may run only while that call lasts.
struct LentFunction: Sendable {
    typealias Function = @Sendable () async throws -> Void

    /// The function with a reference count. It is in a structure, since it would otherwise be wrapped for the generic function
    /// below.
    private struct Counted {
        let function: Function
    }

    /// A function is two words: its code and its context, which is an object.
    private struct Words {
        let code: UInt
        var context: UInt
    }

    /// The size of a context: the header of an object, and the function that must not escape.
    private static let size = 4 * MemoryLayout<UInt>.size

    private let words: Words

    init(_ function: @escaping Function) {
        // As `Words` says.
        var words = unsafeBitCast(Counted(function: function), to: Words.self)
        if let original = UnsafeRawPointer(bitPattern: words.context) {
            let copy = UnsafeMutableRawPointer.allocate(byteCount: Self.size, alignment: 16)
            copy.copyMemory(from: original, byteCount: Self.size)
            // One reference more than are ever released, so that reference counting never frees it.
            _ = Unmanaged<AnyObject>.fromOpaque(copy).retain()
            words.context = UInt(bitPattern: copy)
        }
        self.words = words
    }

    /// Runs the function.
    func callAsFunction() async throws {
        // As `Words` says.
        try await unsafeBitCast(words, to: Counted.self).function()
    }

    /// Frees the copy after the function has run. The copy of an abandoned function is never freed.
    func end() { UnsafeMutableRawPointer(bitPattern: words.context)?.deallocate() }
}
