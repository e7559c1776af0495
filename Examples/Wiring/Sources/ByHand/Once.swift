/// Creates a value on first use, once among concurrent callers.
actor Once<Value: Sendable> {
    private let make: @Sendable () async throws -> Value
    private var making: Task<Value, any Error>?
    /// Nil before the value exists.
    private(set) var value: Value?

    init(_ make: @escaping @Sendable () async throws -> Value) {
        self.make = make
    }

    /// Returns the value. An error is not kept: the next caller tries again.
    func get() async throws -> Value {
        if let value { return value }
        let task = making ?? Task(operation: make)
        making = task
        do {
            let value = try await task.value
            self.value = value
            return value
        } catch {
            // Another caller may have begun the next attempt.
            if making == task { making = nil }
            throw error
        }
    }
}
