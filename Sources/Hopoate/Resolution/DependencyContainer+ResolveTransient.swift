// Services that are not Sendable: see `register(transient:)`.

extension DependencyContainer {
    /// Returns a new instance of a service that was registered with `register(transient:)` and need not be `Sendable`.
    ///
    /// ```swift
    /// final class Parser { var depth = 0 }
    ///
    /// container.register(transient: Parser.self) { _ in Parser() }
    /// let parser = container.resolve(transient: Parser.self)
    /// Task { parser.depth += 1 }  // the task owns the instance now
    /// ```
    ///
    /// The instance is returned as `sending`: nothing else refers to it, so you may pass it to another task or actor.
    ///
    /// Traps on every error that ``require(transient:named:fileID:line:)`` throws. It also traps if the service was registered in another
    /// way, because its instance might be shared.
    ///
    /// - Parameters:
    ///   - serviceType: The type that the service is registered under.
    ///   - name: The name that the service is registered with; nil for an unnamed service.
    /// - Complexity: Constant, plus O(n) in the number of parents, plus the factory.
    public func resolve<Service>(
        transient serviceType: Service.Type, named name: DependencyName? = nil, fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> sending Service {
        do throws(DependencyError) {
            return try require(transient: serviceType, named: name, fileID: fileID, line: line)
        } catch {
            fail(error)
        }
    }

    /// Returns a new instance of a service that need not be `Sendable`, from arguments.
    ///
    /// ```swift
    /// final class Parser { init(_ text: String) {} }
    ///
    /// container.register(transient: Parser.self) { (_, text: String) in Parser(text) }
    /// let parser = container.resolve(transient: Parser.self, arguments: "a + b")
    /// ```
    ///
    /// The same as ``resolve(transient:named:fileID:line:)``, but with arguments. They are matched in the same way as in
    /// ``resolve(_:named:arguments:_:fileID:line:)``.
    ///
    /// - Complexity: That of ``resolve(transient:named:fileID:line:)``.
    public func resolve<Service, First: Sendable, each Rest: Sendable>(
        transient serviceType: Service.Type, named name: DependencyName? = nil, arguments first: First,
        _ rest: repeat each Rest, fileID: StaticString = #fileID, line: UInt = #line
    ) -> sending Service {
        do throws(DependencyError) {
            return try require(
                transient: serviceType, named: name, arguments: first, repeat each rest, fileID: fileID, line: line)
        } catch {
            fail(error)
        }
    }

    /// Returns a new instance of a service that need not be `Sendable`, or throws an error.
    ///
    /// This is the form of ``resolve(transient:named:fileID:line:)`` that never traps.
    ///
    /// - Throws: ``DependencyError`` in the same cases as ``require(_:named:fileID:line:)``; with the reason
    ///   ``DependencyError/Reason/invalid`` if the service was registered in another way, so that its instance might be shared.
    /// - Complexity: That of ``resolve(transient:named:fileID:line:)``.
    public func require<Service>(
        transient serviceType: Service.Type, named name: DependencyName? = nil, fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws(DependencyError) -> sending Service {
        try newInstance(ServiceKey<Service>(named: name), (), CallSite(fileID, line))
    }

    /// Returns a new instance of a service that need not be `Sendable`, from arguments, or throws an error.
    ///
    /// This is the form of ``resolve(transient:named:arguments:_:fileID:line:)`` that never traps.
    ///
    /// - Throws: The same errors as ``require(transient:named:fileID:line:)``.
    /// - Complexity: That of ``resolve(transient:named:fileID:line:)``.
    public func require<Service, First: Sendable, each Rest: Sendable>(
        transient serviceType: Service.Type, named name: DependencyName? = nil, arguments first: First,
        _ rest: repeat each Rest, fileID: StaticString = #fileID, line: UInt = #line
    ) throws(DependencyError) -> sending Service {
        try newInstance(
            ServiceKey<Service>(arguments: (First, (repeat each Rest)).self, named: name),
            (first, (repeat each rest)), CallSite(fileID, line))
    }

    private func newInstance<Service, Arguments>(
        _ key: ServiceKey<Service>, _ arguments: Arguments, _ callSite: CallSite
    ) throws(DependencyError) -> sending Service {
        let lookup = lookUp(key.erased)
        guard let registration = lookup.registration(of: key) else { throw missing(key, callSite) }
        guard let factory = registration.factory(taking: Arguments.self), factory.isSending else {
            throw DependencyError(maybeShared: key.identity, callSite)
        }
        do throws(DependencyError) {
            // Sound: the factory returned it as `sending`, and nothing has stored a reference to it since.
            nonisolated(unsafe) let instance = try factory.resolve(
                key, arguments, Resolution(container: self, holder: lookup.owner))
            return instance
        } catch {
            throw error.thrown(at: callSite, in: self)
        }
    }
}
