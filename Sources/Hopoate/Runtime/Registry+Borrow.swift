// Borrowing an instance, without a write to its reference count. On fast paths, see the head of Registry.swift.

public import CRegistry

extension Registry {
    /// Passes the newest service to a closure, which borrows it. Returns nil if there is no registration.
    ///
    /// The service is valid only inside the closure. It is not retained if it lives as long as its registration.
    @inlinable
    @inline(__always)
    func withNewest<Service, Output, Failure: Error>(
        _ key: ServiceKey<Service>, _ resolution: @autoclosure () -> Resolution,
        _ body: (Service) throws(Failure) -> Output
    ) throws(Failure) -> Output? {
        let found = hop_borrow_begin(raw, key.raw)
        guard let payload = found.payload else {
            hop_borrow_end(found.thread)
            return nil
        }
        let registration = Unmanaged<ServiceRegistration<Service>>.fromOpaque(payload)
        let outcome = registration._withUnsafeGuaranteedRef { borrow($0, body) }
        if let outcome {
            hop_borrow_end(found.thread)
            return try outcome.get()
        }
        return try withNewestSlow(found, key, resolution(), body)
    }

    /// The slow path of `withNewest`, for a service that was not registered as an instance. Ends the read section.
    @inlinable
    @inline(never)
    func withNewestSlow<Service, Output, Failure: Error>(
        _ found: hop_found, _ key: ServiceKey<Service>, _ resolution: Resolution,
        _ body: (Service) throws(Failure) -> Output
    ) throws(Failure) -> Output? {
        guard let payload = found.payload else { return nil }
        let unmanaged = Unmanaged<ServiceRegistration<Service>>.fromOpaque(payload)
        if let singleton = unmanaged._withUnsafeGuaranteedRef({ $0.source.singleton }) {
            // The instance stays until the registration ends, and the registration cannot end before this section.
            let outcome = borrow(singleton, body)
            hop_borrow_end(found.thread)
            return try outcome.get()
        }
        // Factories never run inside a read section. So the section ends first, and the instance is retained here.
        let registration = unmanaged.takeUnretainedValue()
        hop_borrow_end(found.thread)
        return try body(registration.instanceOrTrap(key, resolution))
    }

    /// The same as the other form, for services that cannot be copied. Their instances exist already.
    @inlinable
    @inline(__always)
    func withNewest<Service: ~Copyable, Output, Failure: Error>(
        noncopyable key: ServiceKey<Service>, _ body: (borrowing Service) throws(Failure) -> Output
    ) throws(Failure) -> Output? {
        let found = hop_borrow_begin(raw, key.raw)
        guard let payload = found.payload else {
            hop_borrow_end(found.thread)
            return nil
        }
        let registration = Unmanaged<ServiceRegistration<Service>>.fromOpaque(payload)
        let outcome = registration._withUnsafeGuaranteedRef { borrow($0, body) }
        hop_borrow_end(found.thread)
        return try outcome?.get()
    }
}

/// Passes the instance of a registration to a closure in place. Generic over noncopyable types, so that the compiler cannot copy it.
@inlinable
@inline(__always)
func borrow<Service: ~Copyable, Output, Failure: Error>(
    _ registration: ServiceRegistration<Service>, _ body: (borrowing Service) throws(Failure) -> Output
) -> Result<Output, Failure>? {
    do throws(Failure) {
        guard let output = try registration.source.withInstance(body) else { return nil }
        return .success(output)
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
