import Hopoate

/// Resolves services and counts the calls. Each worker has its own instance, because a shared counter would cost more than the
/// calls.
struct CountedServices {
    private(set) var count = 0

    /// Returns a service that may be used across an `await`.
    mutating func resolve<Service>(
        _ type: Service.Type, fileID: StaticString = #fileID, line: UInt = #line
    ) -> Service {
        count += 1
        return Hopoate.resolve(type, fileID: fileID, line: line)
    }

    /// Returns a new instance that belongs to the caller, so it need not be Sendable.
    mutating func resolve<Service>(
        transient type: Service.Type, fileID: StaticString = #fileID, line: UInt = #line
    ) -> sending Service {
        count += 1
        return DependencyContainer.shared.resolve(transient: type, fileID: fileID, line: line)
    }

    /// Borrows a service for a closure: the cheapest access, because no reference is counted.
    mutating func withService<Service, Output, Failure: Error>(
        _ type: Service.Type, fileID: StaticString = #fileID, line: UInt = #line,
        _ body: (Service) throws(Failure) -> Output
    ) throws(Failure) -> Output {
        count += 1
        return try Hopoate.withService(type, fileID: fileID, line: line, body)
    }
}
