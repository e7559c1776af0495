// Creation for callers that do not suspend.

// The functions below are not specialised. They push the frame into memory that their caller has on its stack, if it has some.

/// Creates an instance by a closure without parameters. Traps on endless recursion.
@inline(__always)
func makeInstance<Service>(
    _ key: ServiceKey<Service>, _ frame: FramePointer?, _ create: () -> Service
) -> Service {
    guard let frame else {
        do throws(DependencyError) { return try makeInstanceSlow(key, create) } catch { fail(error) }
    }
    do throws(DependencyError) { try pushFrame(frame, key.erased) } catch { fail(error) }
    defer { popFrame(frame) }
    return create()
}

/// Creates an instance that is not shared, without arguments.
@inline(__always)
func makeInstance<Service>(
    _ key: ServiceKey<Service>, _ resolution: Resolution, _ create: (DependencyContainer) throws -> Service
) throws(DependencyError) -> Service {
    guard let frame = resolution.frame else {
        return try makeInstanceSlow(key) { try create(resolution.container) }
    }
    do {
        try pushFrame(frame, key.erased)
        defer { popFrame(frame) }
        return try create(resolution.container)
    } catch {
        throw DependencyError(error, key)
    }
}

/// Creates an instance that is not shared.
@inline(__always)
func makeInstance<Service, Arguments>(
    _ key: ServiceKey<Service>, _ arguments: Arguments, _ resolution: Resolution,
    _ create: (DependencyContainer, Arguments) throws -> Service
) throws(DependencyError) -> Service {
    guard let frame = resolution.frame else {
        return try makeInstanceSlow(key) { try create(resolution.container, arguments) }
    }
    do {
        try pushFrame(frame, key.erased)
        defer { popFrame(frame) }
        return try create(resolution.container, arguments)
    } catch {
        throw DependencyError(error, key)
    }
}

/// The slow path of `makeInstance`, for a caller without memory for a frame.
@inline(never)
private func makeInstanceSlow<Service>(
    _ key: ServiceKey<Service>, _ create: () throws -> Service
) throws(DependencyError) -> Service {
    do { return try withThrowingFrame(key.erased, create) } catch { throw DependencyError(error, key) }
}

/// Calls a function with memory on the stack for a frame. For code that is specialised.
@inlinable
@inline(__always)
func withMemoryForFrame<Output, Failure: Error>(
    _ body: (FramePointer) throws(Failure) -> Output
) throws(Failure) -> Output {
    try withStackMemory(for: ResolutionStack.Frame.self, body)
}

extension ServiceFactory {
    /// Returns the instance for a resolve call, creating it if necessary.
    func resolve(
        _ key: ServiceKey<Service>, _ arguments: Arguments, _ resolution: Resolution
    ) throws(DependencyError) -> Service {
        if isTransient { return try makeInstance(key, arguments, resolution, directClosure) }
        if let scopedKey {
            let lookup = try existingScoped(key, resolution)
            if lookup.hasInstance { return lookup.takeInstance() }
            lookup.end()
            return try scopedInstance(key, scopedKey, arguments, resolution)
        }
        return try resolveSlow(key, arguments, resolution)
    }

    /// The slow path of `resolve`, which also tells the observer.
    @inline(never)
    func resolveSlow(
        _ key: ServiceKey<Service>, _ arguments: Arguments, _ resolution: Resolution
    ) throws(DependencyError) -> Service {
        let instance = try resolveUnobserved(key, arguments, resolution)
        observer?.didResolve()
        return instance
    }

    private func resolveUnobserved(
        _ key: ServiceKey<Service>, _ arguments: Arguments, _ resolution: Resolution
    ) throws(DependencyError) -> Service {
        guard let place = try instances?.place(key, arguments, resolution) else {
            return try runFactory(key, arguments, resolution.container)
        }
        var hasInstance = false
        defer { place.leave(hasInstance: hasInstance) }
        if let existing = place.shared.load() {
            hasInstance = true
            return existing
        }
        let instance = try place.takeOrCreate(key.identity, isAsynchronous ? .findsOnly : .blocks) {
            creation throws(DependencyError) in try createAndKeep(key, arguments, in: place, creation)
        }
        hasInstance = place.hasInstance
        return instance
    }
}
