// How a function that must not escape is given up in the middle.
//
// The testing library lends each test to the trait that gives it its scope, as a function that must not escape. A test that is
// given up never returns from it: the parked thread stays in it for ever, while the trait returns to the testing library. That
// is sound, because what was lent is touched only by entering the function, which is over, and by returning from it, which
// never happens. The compiler cannot know that, so when the loan ends it looks whether anybody still holds the function, and
// would end the process. So the task that runs it gets a copy of the function's context, which is counted by itself.

/// A copy of a function that was lent, as `withoutActuallyEscaping` makes one. To be run only during the loan.
struct LentFunction: Sendable {
    typealias Function = @Sendable () async throws -> Void

    /// The function with a reference, in a structure, since by itself it would be wrapped for the generic function below.
    private struct Counted {
        let function: Function
    }

    /// A function is two words: its code and its context, which is an object.
    private struct Words {
        let code: UInt
        var context: UInt
    }

    /// The words of an object's head, and of the function that must not escape, which is all that the context holds.
    private static let size = 4 * MemoryLayout<UInt>.size

    private let words: Words

    init(_ function: @escaping Function) {
        // As `Words` says.
        var words = unsafeBitCast(Counted(function: function), to: Words.self)
        if let original = UnsafeRawPointer(bitPattern: words.context) {
            let copy = UnsafeMutableRawPointer.allocate(byteCount: Self.size, alignment: 16)
            copy.copyMemory(from: original, byteCount: Self.size)
            // One reference more than there ever are, so that counting never frees it.
            _ = Unmanaged<AnyObject>.fromOpaque(copy).retain()
            words.context = UInt(bitPattern: copy)
        }
        self.words = words
    }

    /// Runs it.
    func callAsFunction() async throws {
        // As `Words` says.
        try await unsafeBitCast(words, to: Counted.self).function()
    }

    /// Frees the copy, when it has run. One that was given up is never freed.
    func end() { UnsafeMutableRawPointer(bitPattern: words.context)?.deallocate() }
}
