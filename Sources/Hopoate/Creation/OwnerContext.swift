// Where the factory of a service runs that outlives its first caller: in the world of its owner (invariant J4).
//
// Such a service serves all callers, and the first of them must leave no trace in it. So its factory gets the container that
// keeps the service as `shared`, and none of the caller's task-locals (a logger with the request's metadata, a user, a tracing
// context), nor the caller's cancellation. Its registrations are not part of the caller's install. Of the library's own task-locals
// it keeps the failure handler, so that a test still hears of errors, and the creation around it, so that cycles are still found.
//
// A service that an instrument observes keeps its caller's task-locals, apart from `shared`: instruments find their logger and the
// span around them there, and the spans of nested creations have to be nested too.

/// Runs a factory that does not suspend in the world of a container, on this thread.
///
/// Where the standard library cannot leave the task-locals behind on the same thread (before Swift 6.2, or before the Apple
/// systems of 2025), the caller's task-locals other than `shared` stay visible.
func inContext<Output>(
    ofOwner container: DependencyContainer, isObserved: Bool, _ body: () throws(DependencyError) -> Output
) throws(DependencyError) -> Output {
    #if compiler(>=6.2)
        if !isObserved, #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            let carried = CarriedOver()
            let result = Result<Output, DependencyError>.inDetachedTask {
                carried.bind { Override.bind(container) { Result(catching: body) } }
            }
            return try result.get()
        }
    #endif
    return try InstallationRecorder.unbound { Override.bind(container) { Result(catching: body) } }.get()
}

/// Starts a task in the world of a container, on the executor that the current task prefers, if it prefers one.
func startTask(
    inContextOfOwner container: DependencyContainer, isObserved: Bool, in context: CreationContext,
    _ body: @escaping @Sendable () async -> Void
) {
    let carried = CarriedOver(context)
    let work: @Sendable () async -> Void = {
        await carried.bind { await Override.bind(container) { await body() } }
    }
    #if compiler(>=6.2)
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            let preferred = withUnsafeCurrentTask { $0?.unownedTaskExecutor?.asTaskExecutor() }
            if isObserved {
                Task(executorPreference: preferred, operation: work)
            } else {
                Task.detached(executorPreference: preferred, operation: work)
            }
            return
        }
    #endif
    if isObserved { Task(operation: work) } else { Task.detached(operation: work) }
}

/// The library's own task-locals, which a factory keeps.
private struct CarriedOver: Sendable {
    private let handler = FailureHandler.current
    private let context: CreationContext?

    init(_ context: CreationContext? = .nearest) {
        self.context = context
    }

    func bind<Output>(_ body: () -> Output) -> Output {
        switch (handler, context) {
        case (nil, nil): body()
        case (let handler?, nil): FailureHandler.$current.withValue(handler, operation: body)
        case (nil, let context?): CreationContext.$current.withValue(context, operation: body)
        case (let handler?, let context?):
            FailureHandler.$current.withValue(handler) {
                CreationContext.$current.withValue(context, operation: body)
            }
        }
    }

    func bind(_ body: () async -> Void) async {
        await CreationContext.$current.withValue(context) {
            guard let handler else { return await body() }
            await FailureHandler.$current.withValue(handler, operation: body)
        }
    }
}

#if compiler(>=6.2)
    extension Result {
        /// Runs a closure in a task without task-locals that starts and ends here, on this thread: it does not suspend.
        @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
        fileprivate static func inDetachedTask(_ body: () -> Self) -> Self {
            withoutActuallyEscaping(body) { body in
                let work = Unchecked(body)
                let result = Once<Self>()
                Task.immediateDetached { result.value = work.value() }
                // An immediate task runs on this thread until it first suspends, which it never does.
                return result.value!
            }
        }
    }

    // Unchecked, because of the variable. Sound, because one thread uses it.
    private final class Once<Value>: @unchecked Sendable {
        var value: Value?
    }
#endif
