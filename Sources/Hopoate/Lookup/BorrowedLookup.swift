// Borrowing an instance, without a write to its reference count. On fast paths, see the head of Lookup.swift.

/// The newest registration of a key, borrowed.
@usableFromInline
typealias BorrowedLookup = BorrowedPayload

extension BorrowedLookup {
    /// The registration; nil if nothing is borrowed. Valid until `end`.
    @inlinable
    @inline(__always)
    func registration<Service: ~Copyable>(of key: ServiceKey<Service>) -> Uncounted<ServiceRegistration<Service>>? {
        payload.map { Uncounted<ServiceRegistration<Service>>(payload: $0) }
    }

    /// Passes the instance to a closure, which borrows it, and ends the borrow. If it returns nil, it has not ended the borrow: nothing is
    /// borrowed, or the registration has no instance.
    ///
    /// It finds registered instances and singletons. Both live as long as their registration.
    @inlinable
    @inline(__always)
    func withExisting<Service, Output, Failure: Error>(
        _ key: ServiceKey<Service>, _ body: (Service) throws(Failure) -> Output
    ) throws(Failure) -> Output? {
        guard let hazard else { return nil }
        // Both are nil, or neither.
        let payload = payload.unsafelyUnwrapped
        let registration = Uncounted<ServiceRegistration<Service>>(payload: payload)
        let outcome: Result<Output, Failure>
        if registration.with({ $0.holdsInstance }) {
            // The property `holder` would add 49 bytes per type here, because of its cast.
            let holder = Uncounted<InstanceRegistration<Service>>(payload: payload)
            outcome = holder.with { borrow($0, body) }
        } else {
            guard let singleton = registration.with({ $0.source.singleton }) else { return nil }
            outcome = borrow(singleton, body)
        }
        hazard.end()
        return try outcome.get()
    }
}

extension DependencyContainer {
    /// Looks up the newest registration of a key, here or in the parents, and borrows it. Nothing is borrowed if there is none, or if the
    /// thread can borrow nothing more.
    @inlinable
    @inline(__always)
    func lookUpBorrowed(_ key: AnyServiceKey) -> BorrowedLookup {
        let found = registry.findBorrowed(key)
        return _slowPath(found.hazard == nil) ? lookUpBorrowedInParents(key) : found
    }

    /// The slow path of `lookUpBorrowed`.
    @usableFromInline
    @inline(never)
    func lookUpBorrowedInParents(_ key: AnyServiceKey) -> BorrowedLookup {
        let lookup = lookUp(key)
        guard let payload = lookup.found.payload, let borrow = lookup.borrow() else {
            lookup.end()
            return .nothing
        }
        return BorrowedLookup(payload, borrow)
    }

    /// Looks up the newest registration of a key, here or in the parents, and retains it; for a thread that can borrow nothing more.
    @usableFromInline
    @inline(never)
    func lookUpRetained<Service: ~Copyable>(_ key: ServiceKey<Service>) -> Uncounted<ServiceRegistration<Service>>? {
        let lookup = lookUp(key.erased)
        defer { lookup.end() }
        return lookup.found.payload.map { Uncounted<ServiceRegistration<Service>>(payload: $0).retained() }
    }
}

/// Looks up the newest registration of a key in `shared`, and borrows it. Nothing is borrowed if `shared` may be overridden.
@inlinable
@inline(__always)
func lookUpSharedBorrowed(_ key: AnyServiceKey) -> BorrowedLookup {
    // The registry of the process is static, so there is no reference to count, as there would be for the container.
    mayBeOverriddenHere ? .nothing : Registry.process.findBorrowed(key)
}

/// Passes the instance of a registration to a closure in place. Generic over noncopyable types, so that the compiler cannot copy it.
@inlinable
@inline(__always)
func borrow<Service: ~Copyable, Output, Failure: Error>(
    _ registration: InstanceRegistration<Service>, _ body: (borrowing Service) throws(Failure) -> Output
) -> Result<Output, Failure> {
    do throws(Failure) {
        return .success(try body(registration.instance))
    } catch {
        return .failure(error)
    }
}

/// Passes an instance in a cell to a closure in place.
@inlinable
@inline(__always)
func borrow<Service: ~Copyable, Output, Failure: Error>(
    _ instance: UnsafePointer<Service>, _ body: (borrowing Service) throws(Failure) -> Output
) -> Result<Output, Failure> {
    do throws(Failure) {
        return .success(try body(instance.pointee))
    } catch {
        return .failure(error)
    }
}

/// Passes the instance of a registration to a closure. Nil if there is no registration, or if it has a factory: generic code may call this
/// for a service that can be copied.
@inlinable
@inline(__always)
func borrow<Service: ~Copyable, Output, Failure: Error>(
    of registration: Uncounted<ServiceRegistration<Service>>?, _ body: (borrowing Service) throws(Failure) -> Output
) throws(Failure) -> Output? {
    let outcome = registration.flatMap { registration in
        registration.with { registration in registration.holder.map { borrow($0, body) } }
    }
    return try outcome?.get()
}
