// Borrowing an instance, without a write to its reference count. On fast paths, see the head of Registry.swift.

public import CRegistry

/// The newest registration of a key, in a borrowed read section.
@frozen
@usableFromInline
struct BorrowedLookup {
    @usableFromInline
    let found: hop_found
    /// The container that overrides `shared`, retained; nil if there is none. An override may end while its service is borrowed.
    @usableFromInline
    let override: Unmanaged<DependencyContainer>?

    @inlinable
    @inline(__always)
    init(_ found: hop_found, override: Unmanaged<DependencyContainer>? = nil) {
        self.found = found
        self.override = override
    }

    /// Whether the key has a registration.
    @inlinable
    @inline(__always)
    var isRegistered: Bool { found.payload != nil }

    /// Ends the read section.
    @inlinable
    @inline(__always)
    func end() {
        hop_borrow_end(found.thread)
        override?.release()
    }

    /// Passes the instance to a closure, which borrows it, and ends the read section. If no instance exists, it returns nil and leaves the
    /// section open.
    ///
    /// It finds registered instances and singletons. Both live as long as their registration, which cannot end in this section.
    @inlinable
    @inline(__always)
    func withExisting<Service, Output, Failure: Error>(
        _ key: ServiceKey<Service>, _ body: (Service) throws(Failure) -> Output
    ) throws(Failure) -> Output? {
        guard let payload = found.payload else { return nil }
        let registration = Unmanaged<ServiceRegistration<Service>>.fromOpaque(payload)
        let outcome: Result<Output, Failure>
        if registration._withUnsafeGuaranteedRef({ $0.holdsInstance }) {
            // The property `holder` would add 49 bytes per type here, because of its cast.
            let holder = Unmanaged<InstanceRegistration<Service>>.fromOpaque(payload)
            outcome = holder._withUnsafeGuaranteedRef { borrow($0, body) }
        } else {
            guard let singleton = registration._withUnsafeGuaranteedRef({ $0.source.singleton }) else { return nil }
            outcome = borrow(singleton, body)
        }
        end()
        return try outcome.get()
    }

    /// The same as the other form, for services that cannot be copied. Their instances exist already.
    @inlinable
    @inline(__always)
    func withExisting<Service: ~Copyable, Output, Failure: Error>(
        noncopyable key: ServiceKey<Service>, _ body: (borrowing Service) throws(Failure) -> Output
    ) throws(Failure) -> Output? {
        let outcome = found.payload.flatMap { payload in
            // Generic code may call this form for a service that can be copied, and that has a factory.
            Unmanaged<ServiceRegistration<Service>>.fromOpaque(payload)._withUnsafeGuaranteedRef { registration in
                registration.holder.map { borrow($0, body) }
            }
        }
        end()
        return try outcome?.get()
    }
}

extension DependencyContainer {
    /// Looks up the newest registration of a key, here or in the parents, to borrow its instance.
    @inlinable
    @inline(__always)
    func lookUpBorrowed(_ key: AnyServiceKey) -> BorrowedLookup {
        let found = hop_borrow_begin(registry.raw, key.raw)
        return BorrowedLookup(_slowPath(found.payload == nil) ? lookUpBorrowedInParents(key, found) : found)
    }

    /// The slow path of `lookUpBorrowed`: continues a lookup that found nothing here.
    @usableFromInline
    @inline(never)
    func lookUpBorrowedInParents(_ key: AnyServiceKey, _ found: hop_found) -> hop_found {
        guard let parent else { return found }
        hop_borrow_end(found.thread)
        let found = hop_borrow_begin(parent.registry.raw, key.raw)
        return found.payload == nil ? parent.lookUpBorrowedInParents(key, found) : found
    }
}

/// Looks up the newest registration of a key in `shared`, to borrow its instance.
@inlinable
@inline(__always)
func lookUpSharedBorrowed(_ key: AnyServiceKey) -> BorrowedLookup {
    // The registry of the process is static, so there is no reference to count, as there would be for the container.
    mayBeOverriddenHere
        ? lookUpBorrowedInOverride(key) : BorrowedLookup(hop_borrow_begin(Registry.process.raw, key.raw))
}

/// The slow path of `lookUpSharedBorrowed`.
@usableFromInline
@inline(never)
func lookUpBorrowedInOverride(_ key: AnyServiceKey) -> BorrowedLookup {
    let container = DependencyContainer.currentSlow
    // Balanced by `end`.
    return BorrowedLookup(container.lookUpBorrowed(key).found, override: .passRetained(container))
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
