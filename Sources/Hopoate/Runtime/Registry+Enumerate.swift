// Reading registrations rather than instances: for lists, validation and messages.

public import CRegistry

extension DependencyContainer {
    /// Returns the newest registration of a key, here or in the parents, with its container; nil if there is none.
    func newest(_ key: AnyServiceKey) -> (registration: AnyServiceRegistration, owner: DependencyContainer)? {
        var owner: DependencyContainer? = self
        while let container = owner {
            if let registration = container.registry.newest(key) { return (registration, container) }
            owner = container.parent
        }
        return nil
    }
}

extension Registry {
    /// Returns the newest registration of a key; nil if there is none.
    @usableFromInline
    func newest<Service>(_ key: ServiceKey<Service>) -> ServiceRegistration<Service>? {
        let found = hop_read_begin(raw, key.raw)
        defer { hop_section_end(found.thread) }
        return found.payload.map { Unmanaged<ServiceRegistration<Service>>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Returns the newest registration of a key; nil if there is none.
    func newest(_ key: AnyServiceKey) -> AnyServiceRegistration? {
        let found = hop_read_begin(raw, key.raw)
        defer { hop_section_end(found.thread) }
        return found.payload.map { Unmanaged<AnyServiceRegistration>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Returns a snapshot of the registrations of a key, newest first.
    func stack<Service>(_ key: ServiceKey<Service>) -> [ServiceRegistration<Service>] {
        retainedPayloads(key.raw).map { payload in
            // Balances `retainRegistration`.
            Unmanaged<ServiceRegistration<Service>>.fromOpaque(payload).takeRetainedValue()
        }
    }

    /// The same as the other form, for a key of any type.
    func stack(_ key: AnyServiceKey) -> [AnyServiceRegistration] {
        retainedPayloads(key.raw).map { payload in
            // Balances `retainRegistration`.
            Unmanaged<AnyServiceRegistration>.fromOpaque(payload).takeRetainedValue()
        }
    }

    /// The same as the other form, for a key of any type; empty if there are more than a limit.
    func stack(_ key: AnyServiceKey, upTo limit: Int) -> [AnyServiceRegistration] {
        let payloads = [UnsafeRawPointer](unsafeUninitializedCapacity: limit) { buffer, count in
            buffer.withMemoryRebound(to: UnsafeRawPointer?.self) {
                let height = hop_copy_stack(raw, key.raw, retainRegistration, $0.baseAddress, limit)
                // If they do not fit, nothing was stored and nothing retained.
                count = height <= limit ? height : 0
            }
        }
        // Balances `retainRegistration`.
        return payloads.map { Unmanaged<AnyServiceRegistration>.fromOpaque($0).takeRetainedValue() }
    }

    /// Returns all registrations, except for scoped instances, newest first. Those of one key are a snapshot.
    func registrations() -> [AnyServiceRegistration] { registrations { _ in true } }

    /// Returns the registrations of a type without arguments, with and without names, newest first. Those of one name are a snapshot.
    func registrations<Service>(of service: Service.Type) -> [ServiceRegistration<Service>] {
        let type = ServiceKey<Service>().erased.type
        // The type of a key proves the type of its registrations.
        return registrations { $0.type == type }.map { unsafeDowncast($0, to: ServiceRegistration<Service>.self) }
    }

    private func registrations(where isWanted: (AnyServiceKey) -> Bool) -> [AnyServiceRegistration] {
        keys().filter { !$0.isScoped && isWanted($0) }.flatMap { stack($0) }.sorted { $0.number > $1.number }
    }

    /// The number of deferred releases in the whole process. A release is deferred while a thread borrows the object.
    var deferredReleases: Int { hop_statistics_read(raw).deferred }

    /// Returns some keys that have a registration, in no order, and whether they are all.
    func someKeys(atMost limit: Int) -> (keys: [AnyServiceKey], isComplete: Bool) {
        if limit == 0 { return ([], false) }
        var isComplete = false
        let found = [hop_key](unsafeUninitializedCapacity: limit) { buffer, initialized in
            guard let base = buffer.baseAddress else { return }
            initialized = hop_copy_first_keys(raw, base, limit, &isComplete)
        }
        return (found.map(AnyServiceKey.init).filter { !$0.isScoped }, isComplete)
    }

    /// Returns all keys that have a registration, in no order.
    func keys() -> [AnyServiceKey] {
        // Not zero: all threads share the empty array, and would contend on its reference count.
        var capacity = 8
        while true {
            var count = 0
            let keys = [hop_key](unsafeUninitializedCapacity: capacity) { buffer, initialized in
                count = hop_copy_keys(raw, buffer.baseAddress, capacity)
                initialized = min(count, capacity)
            }
            if count <= capacity { return keys.map(AnyServiceKey.init) }
            capacity = count
        }
    }

    /// Returns a snapshot of the stack of a key, newest first. The caller owns a reference to each payload.
    @usableFromInline
    func retainedPayloads(_ key: hop_key) -> [UnsafeRawPointer] {
        // Large enough for most stacks, so that one pass is enough.
        var capacity = 8
        while true {
            var height = 0
            let payloads = [UnsafeRawPointer](unsafeUninitializedCapacity: capacity) { buffer, count in
                buffer.withMemoryRebound(to: UnsafeRawPointer?.self) {
                    height = hop_copy_stack(raw, key, retainRegistration, $0.baseAddress, capacity)
                }
                // If they do not fit, the call has stored and retained none.
                count = height <= capacity ? height : 0
            }
            if height <= capacity { return payloads }
            capacity = height
        }
    }
}

extension AnyServiceKey {
    fileprivate init(_ key: hop_key) { self.init(type: key.type, discriminator: key.discriminator) }
}
