import Hopoate

/// Asks the container for services, and counts how often. Each worker has its own: a counter that all of them share
/// would cost more than what it counts.
struct CountedServices {
    private(set) var count = 0

    /// A service to keep, also across an `await`.
    mutating func resolve<Service>(
        _ type: Service.Type, fileID: StaticString = #fileID, line: UInt = #line
    ) -> Service {
        count += 1
        return Hopoate.resolve(type, fileID: fileID, line: line)
    }

    /// A new instance that is the caller's alone, and so need not be Sendable.
    mutating func resolve<Service>(
        transient type: Service.Type, fileID: StaticString = #fileID, line: UInt = #line
    ) -> sending Service {
        count += 1
        return DependencyContainer.shared.resolve(transient: type, fileID: fileID, line: line)
    }

    /// A service for the time of a closure: the cheapest way to ask, because no reference is counted.
    mutating func withService<Service, Output, Failure: Error>(
        _ type: Service.Type, fileID: StaticString = #fileID, line: UInt = #line,
        _ body: (Service) throws(Failure) -> Output
    ) throws(Failure) -> Output {
        count += 1
        return try Hopoate.withService(type, fileID: fileID, line: line, body)
    }
}
