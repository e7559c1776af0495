// Services that are not Sendable: see `register(transient:)`.

extension DependencyContainer {
    /// A new instance of a service that was registered with
    /// ``register(transient:named:replacing:fileID:line:factory:)-hru1``, and that need not be `Sendable`.
    ///
    /// ```swift
    /// final class Parser { var depth = 0 }
    ///
    /// container.register(transient: Parser.self) { _ in Parser() }
    /// let parser = container.resolve(transient: Parser.self)
    /// Task { parser.depth += 1 }  // the instance belongs to the task now
    /// ```
    ///
    /// Traps if the service is not registered, or registered in another way: its instance might be shared.
    ///
    /// - Parameters:
    ///   - serviceType: The type it was registered under.
    ///   - name: The name it was registered with; nil for one without.
    /// - Returns: The instance. It belongs to the caller alone, so it may be sent to another isolation.
    /// - Complexity: Constant, plus the factory.
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

    /// A new instance of a service that need not be `Sendable`, from arguments.
    ///
    /// ```swift
    /// final class Parser { init(_ text: String) {} }
    ///
    /// container.register(transient: Parser.self) { (_, text: String) in Parser(text) }
    /// let parser = container.resolve(transient: Parser.self, arguments: "a + b")
    /// ```
    ///
    /// - Parameters:
    ///   - serviceType: The type it was registered under.
    ///   - name: The name it was registered with; nil for one without.
    ///   - first: The first argument.
    ///   - rest: The others.
    /// - Returns: The instance. It belongs to the caller alone.
    /// - Complexity: Constant, plus the factory.
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

    /// A new instance of a service that need not be `Sendable`, or an error.
    ///
    /// ```swift
    /// final class Parser {}
    ///
    /// container.register(transient: Parser.self) { _ in Parser() }
    /// let parser = try container.require(transient: Parser.self)
    /// ```
    ///
    /// - Parameters:
    ///   - serviceType: The type it was registered under.
    ///   - name: The name it was registered with; nil for one without.
    /// - Returns: The instance. It belongs to the caller alone.
    /// - Throws: As ``require(_:named:fileID:line:)``; and ``DependencyError/Reason/invalid`` if the service was registered in another
    ///   way, so that its instance might be shared.
    /// - Complexity: Constant, plus the factory.
    public func require<Service>(
        transient serviceType: Service.Type, named name: DependencyName? = nil, fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws(DependencyError) -> sending Service {
        try newInstance(ServiceKey<Service>(named: name), (), CallSite(fileID, line))
    }

    /// A new instance of a service that need not be `Sendable`, from arguments, or an error.
    ///
    /// ```swift
    /// final class Parser { init(_ text: String) {} }
    ///
    /// container.register(transient: Parser.self) { (_, text: String) in Parser(text) }
    /// let parser = try container.require(transient: Parser.self, arguments: "a + b")
    /// ```
    ///
    /// - Parameters:
    ///   - serviceType: The type it was registered under.
    ///   - name: The name it was registered with; nil for one without.
    ///   - first: The first argument.
    ///   - rest: The others.
    /// - Returns: The instance. It belongs to the caller alone.
    /// - Throws: As ``require(transient:named:fileID:line:)``.
    /// - Complexity: Constant, plus the factory.
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
        var owner: DependencyContainer? = self
        while let container = owner {
            if let registration = container.registry.newest(key) {
                guard let factory = registration.source.factory(taking: Arguments.self), factory.isSending else {
                    throw DependencyError(maybeShared: key.identity, callSite)
                }
                // Sound: the factory returned it as `sending`, and nothing between has kept it.
                nonisolated(unsafe) let instance = try factory.instance(
                    key, arguments, Resolution(container: self, owner: container))
                return instance
            }
            owner = container.parent
        }
        throw missing(key, callSite)
    }
}
