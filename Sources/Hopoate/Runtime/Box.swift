/// A value that is referred to.
// Unchecked, because a service need not be Sendable. Immutable.
final class Box<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) {
        self.value = value
    }
}

/// A value that crosses between tasks although the compiler cannot know that it may.
// Unchecked. Sound, because whoever registers a factory without a check agrees that it runs, and gets its arguments, on any thread.
struct Unchecked<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) {
        self.value = value
    }
}
