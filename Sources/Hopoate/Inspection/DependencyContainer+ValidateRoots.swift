extension DependencyContainer {
    /// Checks the container as an HTTP request uses it: the services that routes resolve, and the dependencies of all registrations.
    ///
    /// ```swift
    /// try container.validate(roots: (any Greeter).self, (any Paying).self) { request in
    ///     request.register(7, for: Int.self)
    /// }
    /// ```
    ///
    /// ``validate(_:)`` checks only what a factory needs. It does not notice that the service of a route is not registered at all. It also
    /// reports the services of a request as missing, because only the container of the request has them. This form makes a child, lets
    /// `prepare` register the services of a request in it, and checks the same as ``validate(_:)`` of that child. In addition, each
    /// root must be registered in the child or in this container. All findings are thrown at once. A finding lists the roots that depend
    /// on the faulty service, in ``DependencyValidationError/Finding/roots``.
    ///
    /// Validation resolves nothing. So the values that `prepare` registers need not be real, and no factory runs unless it is
    /// ``Lifetime/eager``. A singleton of this container must not depend on these values: it would keep those of one request, so that
    /// is a finding.
    ///
    /// The child is shut down at the end, as by ``shutdownWithoutAwaitingHooks()``. This container stays as it is, and may be sealed.
    ///
    /// - Parameters:
    ///   - rules: The mistakes to look for. ``DependencyValidationRules/strict`` lists more of them.
    ///   - first: The type of a service that is resolved without a name. For a name or the text of a route, use
    ///     ``validate(_:roots:prepare:)``.
    ///   - others: The types of other such services.
    ///   - prepare: Registers the services that each request brings.
    /// - Returns: The number of checked registrations, and the registrations with factory closures. Those of the child count too.
    /// - Throws: ``DependencyValidationError`` with all findings, or the error of `prepare`. ``DependencyShutdownError`` if `prepare` has
    ///   created a service and its disposal hook throws.
    /// - Complexity: That of ``validate(_:)``, plus `prepare`. If there are findings, also a search of the dependencies of each root.
    @discardableResult
    public func validate<First, each Other>(
        _ rules: DependencyValidationRules = .standard, roots first: First.Type, _ others: repeat (each Other).Type,
        fileID: StaticString = #fileID, line: UInt = #line, prepare: (DependencyContainer) throws -> Void = { _ in }
    ) throws -> DependencyValidationReport {
        var roots = [DependencyRoot(first, fileID: fileID, line: line)]
        for other in repeat each others { roots.append(DependencyRoot(other, fileID: fileID, line: line)) }
        return try validate(rules, roots: roots, prepare: prepare)
    }

    /// Checks the container as an HTTP request uses it, with roots that are known at run time.
    ///
    /// ```swift
    /// let routes = [DependencyRoot((any Paying).self, neededBy: "POST /orders")]
    /// try container.validate(roots: routes) { request in
    ///     request.register(7, for: Int.self)
    /// }
    /// ```
    ///
    /// The same as ``validate(_:roots:_:fileID:line:prepare:)``, with names and with the text of what needs a root.
    ///
    /// - Parameters:
    ///   - rules: The mistakes to look for.
    ///   - roots: The services that code outside the container resolves. The list may be empty and contain a service twice.
    ///   - prepare: Registers the services that each request brings.
    /// - Returns: The same as the other form.
    /// - Throws: The same errors as the other form.
    /// - Complexity: That of ``validate(_:roots:_:fileID:line:prepare:)``.
    @discardableResult
    public func validate(
        _ rules: DependencyValidationRules = .standard, roots: [DependencyRoot],
        prepare: (DependencyContainer) throws -> Void = { _ in }
    ) throws -> DependencyValidationReport {
        // Untyped: `prepare` may throw anything, and the error of a hook is no error of validation.
        try withChildWithoutAwaitingHooks(prepare) { child in
            var validation = Validation(Wiring(child), rules, roots: roots)
            return try validation.report()
        }
    }
}
