/// An object that holds a value.
// Unchecked, because a service need not be Sendable. Immutable.
final class Box<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) {
        self.value = value
    }
}

/// A value that crosses between tasks although the compiler cannot check that it may.
// Unchecked. Sound, because it wraps services and arguments of factories that are registered without a check. By contract, such a
// factory runs, and gets its arguments, on any thread.
struct Unchecked<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) {
        self.value = value
    }
}
