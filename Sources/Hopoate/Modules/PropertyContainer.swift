// Properties of an object as services: for the whole program, or for one flow of it until they are uninstalled.

/// Whether properties are registered under their types only, or under their names too.
///
/// - Note: Concurrency. Immutable and thread-safe.
public struct PropertyNaming: Sendable, Hashable {
    private let usesNames: Bool

    private init(usesNames: Bool) {
        self.usesNames = usesNames
    }

    /// Registers a property under its type only.
    public static let byType = PropertyNaming(usesNames: false)
    /// Registers a property under its type, and under its type with its name.
    public static let byProperty = PropertyNaming(usesNames: true)

    /// The name for a property; nil for none.
    fileprivate func name<Provider, Value>(
        of keyPath: KeyPath<Provider, Value>, _ callSite: CallSite
    ) -> DependencyName? {
        guard usesNames else { return nil }
        if let name = propertyName(of: keyPath) { return DependencyName(name) }
        failInvalid(
            ServiceKey<Value>(), callSite,
            """
            is a computed property, whose name is unknown at run time. Name it with `.property(…, named: …)`
            """)
    }
}

/// The name of a stored property; nil for all others.
private func propertyName(of keyPath: AnyKeyPath) -> String? {
    // "\Module.Type.property"; computed properties are written as "<computed 0x… (Type)>".
    let text = String(describing: keyPath)
    guard let dot = text.lastIndex(of: ".") else { return nil }
    let name = text[text.index(after: dot)...]
    let isIdentifier = name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
    return isIdentifier && !name.isEmpty && name != "self" ? String(name) : nil
}

/// A property of an object that is registered as a service.
///
/// ```swift
/// struct Services {
///     var log: any Log = ConsoleLog()
///     var greeter: any Greeter { Polite() }
/// }
/// container.install(Services(), .property(\.log), .property(\.greeter, named: "greeter"))
/// ```
///
/// - Note: Concurrency. Immutable. Make and install it on one thread. Resolve calls read the property on any thread.
public struct ProvidedProperty<Provider: Sendable> {
    /// Registers the property and returns its registrations.
    fileprivate let register: (DependencyContainer, Provider, CallSite) -> [AnyServiceRegistration]

    /// Returns a property to register under its type and, if there is a name, also under its type with that name.
    ///
    /// ```swift
    /// struct Services {
    ///     var greeter: any Greeter { Polite() }
    /// }
    /// container.install(Services(), .property(\.greeter, named: .formal))
    /// ```
    ///
    /// - Parameters:
    ///   - keyPath: The property.
    ///   - name: The name; nil for none.
    /// - Returns: The property, for `install`.
    /// - Complexity: Constant.
    public static func property<Value: Sendable>(
        _ keyPath: KeyPath<Provider, Value>, named name: DependencyName? = nil
    ) -> ProvidedProperty<Provider> {
        ProvidedProperty { container, provider, callSite in
            let names: [DependencyName?] = name == nil ? [nil] : [nil, name]
            return names.map { name in
                container.addWatched(false, name, callSite, false) { provider[keyPath: keyPath] }
            }
        }
    }
}

extension DependencyContainer {
    /// Registers properties of an object, each under its declared type.
    ///
    /// ```swift
    /// final class Services: Sendable {
    ///     let log: any Log = ConsoleLog()
    ///     var greeter: any Greeter { Polite() }
    /// }
    /// let services = container.install(Services(), \.log, \.greeter)
    /// print(container.resolve((any Greeter).self).greeting(for: "Grace"))
    /// container.uninstall(services)
    /// ```
    ///
    /// Each resolve call reads the property. So a stored property is a shared instance, a computed one makes a new instance per
    /// call, and changes of the object are visible at once. If the object is a structure, the container keeps a copy of it.
    ///
    /// The type of the service is the declared type of the property: declare it as a protocol to resolve it by the protocol. If
    /// two properties have the same type, the later one shadows the earlier one. Names tell them apart.
    ///
    /// - Parameters:
    ///   - provider: The object. The container keeps it until the properties are uninstalled.
    ///   - naming: Whether to register the properties under their names too. Registering under names traps for computed
    ///     properties, and for stored ones that a subclass may override: their names are not known at run time. Use
    ///     ``ProvidedProperty/property(_:named:)`` for these.
    ///   - first: The first property.
    ///   - rest: The other properties.
    /// - Returns: A token for ``uninstall(_:)``. You need not keep it.
    /// - Complexity: That of registering each property.
    /// - Note: Concurrency. Resolve calls read the properties on any thread. The registrations appear one by one.
    @discardableResult
    public func install<Provider: Sendable, First: Sendable, each Rest: Sendable>(
        _ provider: Provider, named naming: PropertyNaming = .byType, _ first: KeyPath<Provider, First>,
        _ rest: repeat KeyPath<Provider, each Rest>, fileID: StaticString = #fileID, line: UInt = #line
    ) -> Installation {
        let callSite = CallSite(fileID, line)
        var properties = [ProvidedProperty.property(first, named: naming.name(of: first, callSite))]
        for keyPath in repeat each rest {
            properties.append(.property(keyPath, named: naming.name(of: keyPath, callSite)))
        }
        return install(provider, properties, callSite)
    }

    /// Registers properties of an object, each under its declared type, and those with a name also under that type and name.
    ///
    /// ```swift
    /// struct Services {
    ///     var log: any Log = ConsoleLog()
    ///     var greeter: any Greeter { Polite() }
    /// }
    /// container.install(Services(), .property(\.log), .property(\.greeter, named: "greeter"))
    /// ```
    ///
    /// - Parameters:
    ///   - provider: The object. The container keeps it until the properties are uninstalled.
    ///   - first: The first property.
    ///   - rest: The other properties.
    /// - Returns: A token for ``uninstall(_:)``. You need not keep it.
    /// - Complexity: That of registering each property.
    /// - Note: Concurrency. Resolve calls read the properties on any thread. The registrations appear one by one.
    @discardableResult
    public func install<Provider: Sendable>(
        _ provider: Provider, _ first: ProvidedProperty<Provider>, _ rest: ProvidedProperty<Provider>...,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> Installation {
        install(provider, [first] + rest, CallSite(fileID, line))
    }

    private func install<Provider: Sendable>(
        _ provider: Provider, _ properties: [ProvidedProperty<Provider>], _ callSite: CallSite
    ) -> Installation {
        Installation(self, properties.flatMap { $0.register(self, provider, callSite) })
    }
}
