// Properties of an object as services: for the whole program, or for one flow of it until they are uninstalled.

/// The name of a stored property; nil for all others.
private func propertyName(of keyPath: AnyKeyPath) -> String? {
    // "\Module.Type.property"; computed properties are written as "<computed 0x… (Type)>".
    let text = String(describing: keyPath)
    guard let dot = text.lastIndex(of: ".") else { return nil }
    let name = text[text.index(after: dot)...]
    let isIdentifier = name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
    return isIdentifier && !name.isEmpty && name != "self" ? String(name) : nil
}

/// The name of a stored property; traps for all others.
private func requireName<Provider, Value>(of keyPath: KeyPath<Provider, Value>, _ callSite: CallSite) -> DependencyName
{
    if let name = propertyName(of: keyPath) { return DependencyName(name) }
    failInvalid(
        ServiceKey<Value>(), callSite,
        """
        is a computed property, or one that a subclass may override. Swift does not know its name at run time. Name it with \
        `.property(…, named: …)`
        """)
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
    ///   - usingPropertyNames: Whether to register the properties also under their names. This traps for computed properties, and for
    ///     stored ones that a subclass may override: their names are not known at run time. Use
    ///     ``ProvidedProperty/property(_:named:)`` for these.
    ///   - first: The first property.
    ///   - rest: The other properties.
    /// - Returns: A token for ``uninstall(_:)``. You need not keep it.
    /// - Complexity: That of registering each property.
    /// - Note: Concurrency. Resolve calls read the properties on any thread. The registrations appear one by one.
    @discardableResult
    public func install<Provider: Sendable, First: Sendable, each Rest: Sendable>(
        _ provider: Provider, usingPropertyNames: Bool = false, _ first: KeyPath<Provider, First>,
        _ rest: repeat KeyPath<Provider, each Rest>, fileID: StaticString = #fileID, line: UInt = #line
    ) -> Installation {
        let callSite = CallSite(fileID, line)
        func property<Value: Sendable>(_ keyPath: KeyPath<Provider, Value>) -> ProvidedProperty<Provider> {
            .property(keyPath, named: usingPropertyNames ? requireName(of: keyPath, callSite) : nil)
        }
        var properties = [property(first)]
        for keyPath in repeat each rest { properties.append(property(keyPath)) }
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
