// Reading an instance. On fast paths, see the head of Registry.swift.

public import CRegistry

extension Registry {
    /// Returns the newest service, found or created, and owned by the caller. Nil if there is no registration.
    @inlinable
    @inline(__always)
    func resolve<Service>(
        _ key: ServiceKey<Service>, _ resolution: @autoclosure () -> Resolution
    ) throws(DependencyError) -> Service? {
        let found = hop_read_begin(raw, key.raw)
        guard let payload = found.payload else {
            hop_section_end(found.thread)
            return nil
        }
        let registration = Unmanaged<ServiceRegistration<Service>>.fromOpaque(payload)
        let instance = registration._withUnsafeGuaranteedRef { $0.source.registeredInstance }
        if _slowPath(instance == nil) {
            if let instance = registration._withUnsafeGuaranteedRef({ $0.source.singleton?.pointee }) {
                hop_section_end(found.thread)
                return instance
            }
            guard let closure = registration._withUnsafeGuaranteedRef({ $0.source.closure }) else {
                return try resolveSlow(found, key, resolution())
            }
            hop_section_end(found.thread)
            return makeInstance(key, closure)
        }
        hop_section_end(found.thread)
        return instance
    }

    /// The slow path of `resolve`, for a factory that takes the container. Ends the read section.
    ///
    /// Out of line, so that the path of existing instances stays short, but specialised.
    @inlinable
    @inline(never)
    func resolveSlow<Service>(
        _ found: hop_found, _ key: ServiceKey<Service>, _ resolution: Resolution
    ) throws(DependencyError) -> Service? {
        guard let payload = found.payload else { return nil }
        let unmanaged = Unmanaged<ServiceRegistration<Service>>.fromOpaque(payload)
        if let create = unmanaged._withUnsafeGuaranteedRef({ $0.source.transientClosure }) {
            hop_section_end(found.thread)
            return try makeInstance(key, (), resolution) { container, _ in try create(container) }
        }
        let factory = unmanaged._withUnsafeGuaranteedRef { $0.source.factory(taking: Void.self) }
        hop_section_end(found.thread)
        return try factory?.instance(key, (), resolution)
    }

    /// The same as `resolve`, for a factory that takes arguments.
    @inlinable
    @inline(__always)
    func resolve<Service, Arguments>(
        _ key: ServiceKey<Service>, _ arguments: Arguments, _ resolution: @autoclosure () -> Resolution
    ) throws(DependencyError) -> Service? {
        let found = hop_read_begin(raw, key.raw)
        guard let payload = found.payload else {
            hop_section_end(found.thread)
            return nil
        }
        let registration = Unmanaged<ServiceRegistration<Service>>.fromOpaque(payload)
        if let create = registration._withUnsafeGuaranteedRef({ $0.source.transientClosure(taking: Arguments.self) }) {
            hop_section_end(found.thread)
            return try makeInstance(key, arguments, resolution(), create)
        }
        if let keyed = registration._withUnsafeGuaranteedRef({ $0.keyedIndex?.pointee.arguments }) {
            hop_section_end(found.thread)
            if let instance = existing(key, arguments, keyed) { return instance }
            return try keyedInstance(key, arguments, resolution())
        }
        let factory = registration._withUnsafeGuaranteedRef { $0.source.factory(taking: Arguments.self) }
        hop_section_end(found.thread)
        return try factory?.instance(key, arguments, resolution())
    }

    /// Returns all services of a key, newest first. Creates those that do not exist yet, outside every read section.
    @inlinable
    func resolveAll<Service>(_ key: ServiceKey<Service>, _ resolution: Resolution) -> [Service] {
        retainedPayloads(key.raw).map { payload in
            // Balances `retainRegistration`.
            let registration = Unmanaged<ServiceRegistration<Service>>.fromOpaque(payload).takeRetainedValue()
            if let instance = registration.source.registeredInstance { return instance }
            return registration.instanceOrTrap(key, resolution)
        }
    }

    /// Returns whether a key has a registration.
    @inlinable
    @inline(__always)
    func contains<Service: ~Copyable>(_ key: ServiceKey<Service>) -> Bool { hop_contains(raw, key.raw) }
}
