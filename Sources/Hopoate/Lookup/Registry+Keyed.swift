// Finding instances by the values of their arguments, without a lock. KeyedEntries.swift has the protocol.

extension DependencyContainer {
    /// Ends a section, and returns the instance of a keyed service; nil if it does not exist.
    @inlinable
    @inline(__always)
    func existing<Service, Arguments>(
        _ lookup: Lookup, _ key: ServiceKey<Service>, _ arguments: Arguments
    ) -> Service? {
        withUnsafePointer(to: arguments) { own in
            withUnsafeTemporaryAllocation(of: Arguments.self, capacity: 1) { copy in
                withUnsafeTemporaryAllocation(of: Service.self, capacity: 1) { instance in
                    // Both have room for one value, so they have addresses.
                    let (copy, instance) = (copy.baseAddress.unsafelyUnwrapped, instance.baseAddress.unsafelyUnwrapped)
                    return copyExisting(lookup, key, own, copy, instance) ? instance.move() : nil
                }
            }
        }
    }

    /// The part of `existing` that is not specialised: initializes the instance in memory of the caller.
    ///
    /// - Returns: Whether there is an instance.
    @usableFromInline
    @inline(never)
    func copyExisting<Service, Arguments>(
        _ lookup: Lookup, _ key: ServiceKey<Service>, _ own: UnsafePointer<Arguments>,
        _ copy: UnsafeMutablePointer<Arguments>, _ instance: UnsafeMutablePointer<Service>
    ) -> Bool {
        let keyed = lookup.keyedArguments(of: key)
        lookup.end()
        guard let keyed else { return false }
        return lookup.registry(resolvedIn: self).copyExisting(key, own, keyed, copy, instance)
    }
}

extension Registry {
    /// Initializes the instance for some arguments, if a resolve call would find it in the index of the newest registration of a key.
    /// There is one copy of this for all types, which computes no layouts.
    ///
    /// Neither locks nor counts a reference besides that of the instance, if instances stay where they were first stored and the
    /// arguments contain no references. It hashes before the read section and compares after it, because both run user code.
    ///
    /// - Parameters:
    ///   - keyed: How these arguments are hashed and compared. This depends on their types only, so the newest registration may have
    ///     changed meanwhile.
    ///   - copy: Memory for a copy of the arguments, which is empty again at the end.
    ///   - instance: Memory for the instance.
    /// - Returns: Whether there is an instance.
    @inline(never)
    func copyExisting<Service, Arguments>(
        _ key: ServiceKey<Service>, _ own: UnsafePointer<Arguments>, _ keyed: any KeyedArguments.Type,
        _ copy: UnsafeMutablePointer<Arguments>, _ instance: UnsafeMutablePointer<Service>
    ) -> Bool {
        let arguments = ArgumentsPointer(own)
        let hash = keyed.hash(arguments)
        let found = find(key.erased)
        guard let payload = found.payload,
            let index = Uncounted<ServiceRegistration<Service>>(payload: payload).with({
                $0.keyedIndex
            }), let head = index.value.heads.head(hash: hash)
        else {
            found.end()
            return false
        }
        // The slow path names the service that would keep the instance.
        if index.value.mayEndEarly, OwningService.captorOfExpiring != nil {
            found.end()
            return false
        }
        guard let pointer = head.instance else {
            let entry = index.value.heads.entry(of: head)
            found.end()
            guard let entry, keyed.areEqual(entry.arguments, arguments) else { return false }
            return load(entry, own, instance)
        }
        guard let address = pointer.load(as: Service.self) else {
            found.end()
            return false
        }
        instance.initialize(to: address.pointee)
        // The key names the types of the arguments.
        head.copyArguments(to: copy)
        found.end()
        let isFound = keyed.areEqual(ArgumentsPointer(copy), arguments)
        // Without references, there is nothing to release. Asking is faster than the call.
        if !_isPOD(Arguments.self) { copy.deinitialize(count: 1) }
        if !isFound { instance.deinitialize(count: 1) }
        return isFound
    }

    /// Initializes the instance of an entry, if its storage still has one.
    @inline(never)
    private func load<Service, Arguments>(
        _ entry: KeyedEntry, _ own: UnsafePointer<Arguments>, _ instance: UnsafeMutablePointer<Service>
    ) -> Bool {
        // The key names the types of the service and of its arguments.
        let shared = unsafeDowncast(entry, to: KeyedInstance<Service, Arguments>.self).shared
        guard let existing = shared.load() else { return false }
        instance.initialize(to: existing)
        return true
    }
}
