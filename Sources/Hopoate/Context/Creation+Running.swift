// The services that the running code is creating.
//
// A thread has them in the frames of its stack (ResolutionStack.swift), a task in its task-local (`TaskContext`). Code that asks for
// them reads the frames first, and then the task-local: the task runs around the frames of its thread.

extension Creation.Surroundings {
    /// The creations around this code.
    @inline(__always)
    static var current: Self { Self(outsideInnermostFrame: false) }

    /// The creations around the service of the innermost frame.
    static var ofInnermostFrame: Self { Self(outsideInnermostFrame: true) }

    @inline(__always)
    private init(outsideInnermostFrame: Bool) {
        self =
            innermostFrame == nil
            ? Self() : ResolutionStack.surroundings(outsideInnermostFrame: outsideInnermostFrame)
        if creation == nil { creation = CreationContext.creation }
    }
}

extension Creation {
    /// The innermost creation around this code; nil if no factory is running.
    static var innermost: Creation? { ResolutionStack.creation ?? CreationContext.creation }

    /// The services that are being created around this code, outermost first.
    static var currentTrail: [ServiceIdentity] {
        let surroundings = Surroundings.current
        return (surroundings.creation?.trail ?? []) + surroundings.between.fromInnermost.reversed()
    }

    /// Ends all creations that cannot finish if this code never returns, innermost first.
    static func abandonAll(_ error: DependencyError) {
        for creation in ResolutionStack.creations {
            _ = creation.abandon(error)
            creation.group?.fail(error)
        }
        // A creation that others may wait for runs in a task of its own, so the walk ends there. Every other one runs in the task
        // of the creation around it, which cannot finish either. A creation that a thread runs around this task is not affected.
        var creation = CreationContext.creation
        while let current = creation, current.isSuspending, !current.abandon(error) { creation = current.outer }
    }
}

extension CompletionGroup {
    /// The group around this code; nil if there is none.
    static var current: CompletionGroup? { ResolutionStack.outermostCreation?.group }
}
