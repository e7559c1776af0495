extension DependencyContainer {
    /// Checks that the known dependencies of all registrations are registered, without creating anything.
    ///
    /// ```swift
    /// try container.validate()
    /// container.seal()
    /// ```
    ///
    /// Validation knows the parameters of initializers registered with `using:`, and the target of a `forward`. For a decorated
    /// service of the same container, it knows the dependencies of the inner service. The call throws all findings at once:
    ///
    /// - missing: a dependency is not registered;
    /// - circular: a service depends on itself, directly or through others. A lazy dependency does not count as part of a
    ///   cycle;
    /// - captive: a service that all callers share, such as a singleton, depends on a ``Lifetime/scoped`` service, and would keep
    ///   the first instance that it gets; or it depends on a service that only this container has, and not the parent. Lazy
    ///   dependencies are not checked for this.
    ///
    /// Validation cannot look into factory closures, `afterCreation` and decorators. No factory runs. The report lists the
    /// registrations with factory closures, so that a test can require that there are none. The instance of an
    /// ``Lifetime/eager`` registration exists already, so its dependencies are not checked.
    ///
    /// Validation looks up each dependency in the container that would resolve it, and ignores shadowed registrations. A
    /// parent's singleton resolves its dependencies in the parent, a parent's transient or scoped service in this container. If
    /// services are also resolved through the parent, validate the parent too. For a server,
    /// ``validate(_:roots:_:fileID:line:prepare:)`` validates such a child, and the services that routes resolve.
    ///
    /// - Parameter rules: The mistakes to look for. ``DependencyValidationRules/strict`` lists more of them.
    /// - Returns: The number of checked registrations, and the registrations with factory closures.
    /// - Throws: ``DependencyValidationError`` with all findings.
    /// - Complexity: That of ``registrations``, plus a search for captive dependencies from each shared service.
    /// - Note: Concurrency. Registrations that other threads add or remove meanwhile may be seen or not.
    @discardableResult
    public func validate(
        _ rules: DependencyValidationRules = .standard
    ) throws(DependencyValidationError) -> DependencyValidationReport {
        var validation = Validation(Wiring(self), rules)
        return try validation.report()
    }
}

/// The result of a validation without findings, as by ``DependencyContainer/validate(_:)``.
///
/// ```swift
/// let report = try container.validate()
/// print(report.unknown)  // registrations with factory closures
/// ```
///
/// - Note: Concurrency. Immutable and thread-safe.
public struct DependencyValidationReport: Sendable {
    /// The number of registrations with known dependencies, instances included.
    public let checked: Int
    /// The registrations with factory closures. Their dependencies are not known.
    public let unknown: [DependencyDescription]
}
