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

// MARK: - The context of an owner

// The context in which the factory of a long-lived service runs: that of the service's owner (invariant J4 in Design.md).
//
// Such a service serves all callers, so nothing of the first caller may get into it. Therefore its factory runs
//
// - with the container that owns the service as `shared`;
// - without the caller's task-locals (a logger with the metadata of an HTTP request, a user, a tracing context);
// - without the caller's cancellation;
// - outside the caller's install, which does not record the registrations that the factory makes.
//
// The same holds for an instance that a handle of such a service resolves later and keeps (`OwningService.run`).
//
// The factory keeps two parts of the `TaskContext`: the failure handler, so that a test still gets its errors; and the creation
// around it, so that cycles are still found.
//
// A service that an instrument observes keeps all task-locals of its caller except `shared`. Instruments find their logger and
// the current span there, and the spans of nested creations have to be nested too.

extension OwnerContext {
    /// Makes the context of a factory that this thread is about to run.
    init(_ owner: DependencyContainer, isObserved: Bool) {
        self.init(
            owner: UncountedContainer(owner), isObserved: isObserved,
            isObservedThroughout: isObserved && ResolutionStack.ownerContext?.isObservedThroughout != false)
    }

    /// Runs a factory or a completion in this context, on this thread.
    ///
    /// Before Swift 6.2, and before the Apple systems of 2025, the standard library cannot drop task-locals without changing the
    /// thread. There, the caller's task-locals other than `shared` stay visible.
    func run<Output, Failure: Error>(_ body: () throws(Failure) -> Output) throws(Failure) -> Output {
        let limited = CreationContext.limited
        defer { limited?.end() }
        let context = TaskContext.ofOwner(owner.container, limited)
        #if compiler(>=6.2)
            if !isObserved, #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
                return try Result<Output, Failure>.inDetachedTask {
                    context.bindFirst { Result(catching: body) }
                }.get()
            }
        #endif
        return try context.bind(body)
    }
}

/// Starts a task in the context of a container, on the executor that the current task prefers, if any.
func startTask(
    inContextOfOwner container: DependencyContainer, isObserved: Bool, in context: CreationContext,
    _ body: @escaping @Sendable () async -> Void
) -> Task<Void, Never> {
    let context = TaskContext.ofOwner(container, context)
    let work: @Sendable () async -> Void = { await context.bind { await body() } }
    #if compiler(>=6.2)
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            let preferred = preferredTaskExecutor
            return isObserved
                ? Task(executorPreference: preferred, operation: work)
                : Task.detached(executorPreference: preferred, operation: work)
        }
    #endif
    return isObserved ? Task(operation: work) : Task.detached(operation: work)
}

#if compiler(>=6.2)
    extension Result {
        /// Runs a closure on this thread, in a task without task-locals. The closure does not suspend.
        @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
        fileprivate static func inDetachedTask(_ body: () -> Self) -> Self {
            withoutActuallyEscaping(body) { body in
                let work = Unchecked(body)
                let result = Once<Self>()
                Task.immediateDetached { result.value = work.value() }
                // Set: an immediate task runs on this thread until it first suspends, and this one never does.
                return result.value!
            }
        }
    }

    // Unchecked, because it has a variable. Sound, because only one thread uses it.
    private final class Once<Value>: @unchecked Sendable {
        var value: Value?
    }
#endif
