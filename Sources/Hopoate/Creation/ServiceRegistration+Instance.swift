extension ServiceRegistration {
    /// Returns the instance for a resolve call, creating it if necessary. Runs user code, so never call it inside a read section.
    func resolve(_ key: ServiceKey<Service>, _ resolution: Resolution) throws(DependencyError) -> Service {
        if holdsInstance { return registeredInstance() }
        if let closureRegistration { return makeInstance(key, resolution.frame, closureRegistration.create) }
        if let transientRegistration { return try makeInstance(key, resolution, transientRegistration.create) }
        guard let factory = factory(taking: Void.self) else { preconditionFailure("the source is a factory") }
        return try factory.resolve(key, (), resolution)
    }

    /// The instance that was registered. Out of line: code that is not specialised computes the layout of an optional for it.
    @inline(never)
    func registeredInstance() -> Service {
        guard let holder else { preconditionFailure("the source is an instance") }
        return holder.instance
    }

    /// The same as `resolve`, but traps on an error.
    @usableFromInline
    @inline(never)
    func resolveOrTrap(_ key: ServiceKey<Service>, _ resolution: Resolution) -> Service {
        do throws(DependencyError) { return try resolve(key, resolution) } catch {
            fail(error, in: resolution.container)
        }
    }
}
