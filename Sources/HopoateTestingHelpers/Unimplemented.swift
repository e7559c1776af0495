public import Hopoate
import Testing

/// Returns a function that fails the test when it is called, and throws.
///
/// ```swift
/// let greet: @Sendable (String) throws -> String = unimplemented("Greeter.greet")
/// ```
///
/// Make it in an isolated test. Then a call fails that test, on whatever thread it is made, also if the caller handles the error.
///
/// - Parameter name: The name of the function, for the message.
/// - Returns: The function.
/// - Complexity: Constant.
/// - Note: Concurrency. Thread-safe. Outside an isolated test, the call fails the test of the calling task.
public func unimplemented<each Argument, Output>(
    _ name: String, fileID: StaticString = #fileID, line: UInt = #line
) -> @Sendable (repeat each Argument) throws -> Output {
    let report = reporter(of: unimplementedMessage("function '\(name)'", at: "\(fileID):\(line)", "called"))
    return { (_: repeat each Argument) in throw report() }
}

/// Returns a function that fails the test when it is called, and returns a value.
///
/// ```swift
/// let greet: @Sendable (String) -> String = unimplemented("Greeter.greet", returning: "")
/// ```
///
/// - Parameters:
///   - name: The name of the function, for the message.
///   - output: The result of each call. Pass `()` if there is none.
/// - Returns: The function.
/// - Complexity: Constant.
/// - Note: Concurrency. The same as for ``unimplemented(_:fileID:line:)``.
public func unimplemented<each Argument, Output: Sendable>(
    _ name: String, returning output: Output, fileID: StaticString = #fileID, line: UInt = #line
) -> @Sendable (repeat each Argument) -> Output {
    let report = reporter(of: unimplementedMessage("function '\(name)'", at: "\(fileID):\(line)", "called"))
    return { (_: repeat each Argument) in
        _ = report()
        return output
    }
}

extension DependencyContainer {
    /// Registers a placeholder, which fails the test when the service is resolved.
    ///
    /// ```swift
    /// container.register(unimplemented: (any Greeter).self)
    /// ```
    ///
    /// `resolve` abandons the test, as for a missing service. `require` throws, and the test fails also if the caller handles the error. Outside an
    /// isolated test, the failure is recorded for the test of the calling task, and `resolve` traps.
    ///
    /// - Parameters:
    ///   - serviceType: The type that the service is resolved as.
    ///   - name: The name of the service; nil for a service without a name.
    /// - Returns: The token of the registration.
    /// - Complexity: That of registering a service.
    @discardableResult
    public func register<Service>(
        unimplemented serviceType: Service.Type, named name: DependencyName? = nil, fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> ServiceRegistration<Service> {
        let service = "service '\(typeLabel(serviceType))'" + (name.map { " named \"\($0)\"" } ?? "")
        let report = reporter(of: unimplementedMessage(service, at: "\(fileID):\(line)", "resolved"))
        return register(unchecked: serviceType, named: name, lifetime: .transient, fileID: fileID, line: line) { _ in
            throw report()
        }
    }
}

/// Returns a function that fails a test with a message: the isolated test in which the function was made, or else the test of the caller.
private func reporter(of message: String) -> @Sendable () -> Finding {
    let findings = Findings.current
    return {
        let finding = Finding(message, chain: servicesInCreation())
        if let findings = findings ?? Findings.current {
            findings.add(finding)
        } else {
            Issue.record(Comment(rawValue: finding.text))
        }
        return finding
    }
}
