/// What a task knows of the code around it, besides the frames of its thread. The tasks that this code starts inherit it.
///
/// It is the only task-local of the running code. So the context of a factory is bound at once, whatever differs from that of its caller.
struct TaskContext: Sendable {
    @TaskLocal
    static var current = TaskContext()

    /// Called before the library traps; nil if there is none.
    // An object: the optimizer of Swift 6.3 miscompiles a task-local closure that is bound inside another binding.
    var failureHandler: FailureHandler?
    /// The container that is bound to `shared`; nil if none is.
    var override: Override.Binding?
    /// The creation that the task runs, or inside which it was started; nil if there is none.
    var creation: CreationContext?
    /// The `InstallationRecorder` of the innermost install; nil outside of installs.
    // Without its type, because installs are a layer above.
    var installation: (any AnyObject & Sendable)?

    /// Returns the context of a factory whose service belongs to a container. In it, `shared` is that container, and there is no install.
    /// The caller keeps the container alive.
    static func ofOwner(_ owner: DependencyContainer, _ creation: CreationContext?) -> TaskContext {
        current.with {
            $0.override = Override.Binding.ofOwner(owner)
            $0.creation = creation
            $0.installation = nil
        }
    }

    /// Returns the current context with another creation.
    static func inside(_ creation: CreationContext) -> TaskContext { current.with { $0.creation = creation } }

    /// Returns this context with some changes.
    func with(_ change: (inout TaskContext) -> Void) -> TaskContext {
        var context = self
        change(&context)
        return context
    }

    private var isEmpty: Bool { failureHandler == nil && override == nil && creation == nil && installation == nil }

    /// Runs a closure in this context instead of the current one.
    func bind<Output, Failure: Error>(_ body: () throws(Failure) -> Output) throws(Failure) -> Output {
        try Self.$current.withValue(self) { Result(catching: body) }.get()
    }

    /// The same as `bind`, in a task that has no context yet.
    func bindFirst<Output>(_ body: () -> Output) -> Output {
        isEmpty ? body() : Self.$current.withValue(self, operation: body)
    }

    /// Runs a closure that suspends in this context instead of the current one.
    func bind<Output>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Output
    ) async rethrows -> Output {
        try await Self.$current.withValue(self, operation: body)
    }
}
