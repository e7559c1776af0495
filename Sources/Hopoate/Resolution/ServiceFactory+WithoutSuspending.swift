// The first half of `asyncResolve`, which does not suspend. Nearly all calls of a server end in it.
//
// An asynchronous function costs some hundred instructions, even if it suspends nowhere. So the first half is not asynchronous, and the
// second half runs only if the service has to be created by a form that suspends.
//
// An initializer may run in the form that does not suspend if its dependencies exist, or can be created without waiting
// (ServiceFactory+Dependencies.swift). This is not checked in advance, because usually all dependencies exist, and to check one takes as
// long as to resolve it. The frame of the service is marked as unchecked. A parameter without an instance is checked. If it is a scoped
// service, it is created, and the later parameters stay unchecked. If it is transient, they are checked before it is created.
//
// Invariants:
//
// 1. Nothing is created in an unchecked frame but scoped services, which stay. Its parameters are existing instances up to the one that
//    checks the others, and no other code of the user runs before all parameters are there. So the outcome is that of a check in advance.
// 2. A frame stays unchecked if all instances exist. No later parameter is resolved in it: each creation by the initializer has a frame of
//    its own.
// 3. If the check fails, the closure ends with an error before it has called the initializer, and the second half begins anew. The
//    object graph goes on to it, because the check may have created scoped services.

/// Why the first half of `asyncResolve` returned no service.
package struct UnfinishedResolution: Error {
    enum Reason {
        /// There is no registration.
        case missing
        /// A form that suspends has to create the service. The object graph is that of the resolve call, if it has one already.
        case suspends(ObjectGraph?)
        case failed(DependencyError)
    }

    let reason: Reason

    init(_ reason: Reason) {
        self.reason = reason
    }
}

extension ResolutionStack {
    /// A frame with what `checkDependencies` needs.
    struct UncheckedFrame {
        /// The first field, so that both have the same address.
        var frame: Frame
        /// The function that runs the closure holds it.
        var factory: Uncounted<AnyServiceFactory>
        /// Whether the check has failed.
        var mustSuspend: Bool
    }

    /// Memory for such a frame. Trivial, as `FrameMemory`.
    struct UncheckedFrameMemory {
        private var frame = FrameMemory()
        private var factory: UInt = 0
        private var mustSuspend = false

        init() { assert(MemoryLayout<Self>.size == MemoryLayout<UncheckedFrame>.size) }
    }
}

extension ResolutionStack.Frame {
    /// Whether the frame belongs to an `UncheckedFrame`, and the dependencies of its service have not been checked yet.
    @inline(__always)
    var isUnchecked: Bool {
        get { type & 2 != 0 }
        set { type = newValue ? type | 2 : type & ~2 }
    }
}

extension DependencyContainer {
    /// Checks the dependencies of the service in an unchecked frame, from the parameter on that has no instance yet. Creates scoped ones.
    /// Throws if the service has to be created by a form that suspends.
    ///
    /// - Parameter key: The key of that parameter.
    @inline(never)
    func checkDependencies(
        of frame: FramePointer, from key: AnyServiceKey
    ) throws(DependencyError) {
        // An unchecked frame is the first field of this structure.
        let unchecked = frame.rebound(to: ResolutionStack.UncheckedFrame.self)
        let factory = unchecked.pointee.factory.object
        if try factory.passesCheck(from: key, in: self, at: frame) { return }
        unchecked.pointee.mustSuspend = true
        // Nobody sees it: `createWithoutSuspending` looks at `mustSuspend`.
        throw DependencyError(.onlyAsynchronous, frame.pointee.identity)
    }
}

extension AnyServiceFactory {
    /// Whether the parameter with a key, and all others that have to be checked now, can be had without suspending.
    ///
    /// If the parameter exists, the later ones need no check yet, and the frame stays unchecked.
    fileprivate func passesCheck(
        from key: AnyServiceKey, in container: DependencyContainer,
        at frame: FramePointer
    ) throws(DependencyError) -> Bool {
        guard let requirements else { return false }
        // By the index, because to copy a requirement counts references.
        var index = 0
        while index < requirements.count, requirements[index].key != key { index += 1 }
        guard index < requirements.count else { return false }
        var lookups = AnyServiceFactory.mostLookups
        switch try prepareDependency(index, of: requirements, in: container, &lookups, createsScoped: true) {
        case .exists: return true
        case .suspends: return false
        case .createdByInitializer:
            frame.pointee.isUnchecked = false
            return try hasDependencies(in: container, from: index + 1, &lookups, createsScoped: true)
        }
    }
}

extension ServiceFactory {
    /// Creates a transient service, unless it has to be created by a form that suspends.
    @inline(__always)
    func createWithoutSuspending(
        _ key: ServiceKey<Service>, _ arguments: Arguments, in container: DependencyContainer
    ) throws(UnfinishedResolution) -> Service {
        var graph: ObjectGraph?
        if hasBothForms, !checksParameters {
            let mustSuspend: Bool
            do throws(DependencyError) {
                mustSuspend = try suspendingClosure(key.erased, in: container, &graph) != nil
            } catch {
                throw UnfinishedResolution(.failed(error))
            }
            if mustSuspend { throw UnfinishedResolution(.suspends(graph)) }
        }
        var memory = ResolutionStack.UncheckedFrameMemory()
        // The address is valid during the call.
        return try createWithoutSuspending(key, arguments, in: container, graph, &memory)
    }

    @inline(__always)
    private func createWithoutSuspending(
        _ key: ServiceKey<Service>, _ arguments: Arguments, in container: DependencyContainer, _ graph: ObjectGraph?,
        _ memory: UnsafeMutableRawPointer
    ) throws(UnfinishedResolution) -> Service {
        let unchecked = StackPointer<ResolutionStack.UncheckedFrame>(memory: memory)
        // The frame is the first field.
        let frame = unchecked.rebound(to: ResolutionStack.Frame.self)
        unchecked.pointee.mustSuspend = false
        var graph = graph
        do {
            try pushFrame(frame, key.erased, graph)
            defer {
                if unchecked.pointee.mustSuspend { graph = frame.pointee.graph }
                popFrame(frame)
            }
            if checksParameters {
                frame.pointee.isUnchecked = true
                unchecked.pointee.factory = Uncounted(self)
            }
            return try directClosure(container, arguments)
        } catch {
            // Outside of the frame, which the error would name twice.
            throw UnfinishedResolution(
                unchecked.pointee.mustSuspend ? .suspends(graph) : .failed(DependencyError(error, key)))
        }
    }
}
