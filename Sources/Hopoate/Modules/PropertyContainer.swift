// Services that are the properties of an object: of the whole program's, or of one flow's, for as long as that takes.

/// Under what the properties of an object are registered, beside their types.
///
/// - Note: Concurrency. Immutable; from any thread.
public struct PropertyNaming: Sendable, Hashable {
    private let usesNames: Bool

    private init(usesNames: Bool) {
        self.usesNames = usesNames
    }

    /// Under their types only.
    public static let byType = PropertyNaming(usesNames: false)
    /// Under their types, and under their types with the names of the properties.
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
            is a property whose name cannot be told at run time, as only that of a stored one can: \
            say it with .property(…, named: …)
            """)
    }
}

/// The name of a stored property; nil for all else.
private func propertyName(of keyPath: AnyKeyPath) -> String? {
    // "\Module.Type.property"; computed ones are written as "<computed 0x… (Type)>".
    let text = String(describing: keyPath)
    guard let dot = text.lastIndex(of: ".") else { return nil }
    let name = text[text.index(after: dot)...]
    let isIdentifier = name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
    return isIdentifier && !name.isEmpty && name != "self" ? String(name) : nil
}

/// A property of an object, as a service.
///
/// ```swift
/// struct Services {
///     var log: any Log = ConsoleLog()
///     var greeter: any Greeter { Polite() }
/// }
/// container.install(Services(), .property(\.log), .property(\.greeter, named: "greeter"))
/// ```
///
/// - Note: Concurrency. Immutable. Made and installed on one thread; the property is read on whichever threads resolve.
public struct ProvidedProperty<Provider: Sendable> {
    /// Registers it, and says what it has registered.
    fileprivate let register: (DependencyContainer, Provider, CallSite) -> [AnyServiceRegistration]

    /// A property, under its type, and under its type with a name.
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
    /// - Returns: The property, to be installed.
    /// - Complexity: Constant.
    /// - Note: Concurrency. From any thread.
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
    /// Registers properties of an object, each under its type.
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
    /// The property is read at each request: a stored one is a shared instance, a computed one makes a new one each time, and a
    /// change of the object shows at once. (Of a structure, it is a copy that is installed.)
    ///
    /// The type is the declared type of the property, so declare as a protocol what is to be asked for as one. Where two
    /// properties have the same type, the later one is found under it, as for any two registrations; names tell them apart.
    ///
    /// - Parameters:
    ///   - provider: The object, which the container keeps until they are uninstalled.
    ///   - naming: Whether the properties are registered under their names too. Of computed properties (and of stored ones that
    ///     a subclass may override) the name cannot be told: use ``ProvidedProperty/property(_:named:)`` for these.
    ///   - first: The first property.
    ///   - rest: The others.
    ///   - fileID: Where they are installed; filled in by the compiler.
    ///   - line: Where they are installed; filled in by the compiler.
    /// - Returns: A token for ``uninstall(_:)``. The container does not need it.
    /// - Complexity: As registering each of them.
    /// - Note: Concurrency. From any thread. The properties are read on whichever threads resolve. The registrations appear one
    ///   after the other.
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

    /// Registers properties of an object, each under its type, and with a name where that is given.
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
    ///   - provider: The object, which the container keeps until they are uninstalled.
    ///   - first: The first property.
    ///   - rest: The others.
    ///   - fileID: Where they are installed; filled in by the compiler.
    ///   - line: Where they are installed; filled in by the compiler.
    /// - Returns: A token for ``uninstall(_:)``. The container does not need it.
    /// - Complexity: As registering each of them.
    /// - Note: Concurrency. From any thread. The properties are read on whichever threads resolve. The registrations appear one
    ///   after the other.
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
