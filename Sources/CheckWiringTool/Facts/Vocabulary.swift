import Foundation

/// The effects of the functions of Hopoate and of its integrations, by their demangled names.
enum Vocabulary {
    /// The effect of a call on the wiring.
    enum Role {
        /// Registers a service.
        case registers
        /// Wraps the registrations of a service.
        case decorates
        /// Registers an alias for another service.
        case forwards
        /// Resolves a service, now or later.
        case resolves
        /// Installs modules.
        case installs
        /// Calls its closures with a container.
        case opensScope
        /// Creates singletons.
        case warmsUp
    }

    struct Entry {
        let role: Role
        /// The index of the service in the substitutions: behind `Self`, or behind the parameters of the type.
        var service = 0
        /// Whether the service is resolved by a factory that may suspend.
        var isAsync = false
        /// Whether the service is resolved by a later call.
        var isLater = false
        /// Whether all substitutions are services.
        var isVariadic = false
        /// The container that the closures get.
        var scope = Container.unknown
    }

    /// The entry of a function; nil if it has none.
    static func entry(of name: String) -> Entry? { entries[name] }

    /// Functions and properties that neither register nor resolve. The test that lists the public ones fails for one that is in no list.
    static let withoutEffect: Set<String> = [
        // Containers, and the code that runs with them.
        "DependencyContainer.allowingCommits", "DependencyContainer.init", "DependencyContainer.instrument",
        "DependencyContainer.recordCreations", "DependencyContainer.shared", "DependencyContainer.TaskLocal.withValue",
        "DependencyContainer.withFailureHandler", "RequestScope.Tenant.child", "RequestScopeInterceptor.intercept",
        // Reports about a container.
        "DependencyContainer.canResolve", "DependencyContainer.explain", "DependencyContainer.graph",
        "DependencyContainer.health", "DependencyContainer.isDraining", "DependencyContainer.isSealed",
        "DependencyContainer.registrations", "DependencyContainer.wiringLock", "DependencyHealthService.init",
        "DependencyHealthService.registerMethods", "DependencyValidationRules.allowing", "expectWiring",
        // Removals and ends, which the check does not follow.
        "DependencyContainer.beginDraining", "DependencyContainer.remove", "DependencyContainer.removeAll",
        "DependencyContainer.shutdown", "DependencyContainer.shutdownWithoutAwaitingHooks",
        "DependencyContainer.uninstall", "LazyDependency.dispose",
        // The initializer of the wrapper resolves the service.
        "Dependency.wrappedValue", "DynamicDependency.wrappedValue", "LazyDependency.projectedValue",
        "OptionalDependency.wrappedValue",
        // Lists of modules, which `install` reads.
        "DependencyModuleBuilder.buildArray", "DependencyModuleBuilder.buildBlock",
        "DependencyModuleBuilder.buildEither", "DependencyModuleBuilder.buildExpression",
        "DependencyModuleBuilder.buildOptional",
        // Values, which have defaults.
        "DependencyContainer.values", "DependencyValues.removeValue", "DependencyValues.subscript",
        "ParameterSource.environment", "withDependencies",
        // Settings, which providers hold.
        "ConfigurationDiagnostics.init", "DependencyConfiguration.init", "DependencyConfiguration.read",
        "Setting.optional",
        // Lifetimes and observers.
        "DependencyObserver.create", "Lifetime.init", "LifetimePolicy.makeStorage", "MetricsInstrument.init",
        "TracingInstrument.init",
        // Routes: the functions that take their handlers have entries.
        "DependencyRoutes.add", "DependencyRoutes.on",
        // Tests: they have containers of their own.
        "IsolatedDependenciesTrait.Contents.strict", "MockContainer.expectResolved", "MockContainer.mock",
        "MockContainer.resolveCount", "Spy.recording", "Trait.everyStart", "Trait.isolatedDependencies",
        "unimplemented", "withIsolatedDependencies",
    ]

    static let entries: [String: Entry] = {
        var entries: [String: Entry] = [:]
        func add(_ entry: Entry, _ names: String...) { for name in names { entries[name] = entry } }

        add(
            Entry(role: .registers), "DependencyContainer.register",
            "DependencyContainer.overwriteExistingRegistrations")
        add(Entry(role: .registers), "DependencyContainer.withStub", "MockContainer.init")
        add(Entry(role: .registers, service: 1), "ProvidedProperty.property")
        add(Entry(role: .decorates), "DependencyContainer.decorate")
        add(Entry(role: .forwards), "DependencyContainer.forward")
        add(Entry(role: .installs), "DependencyContainer.install")

        let resolving = [
            "resolve", "optionalResolve", "require", "callAsFunction", "resolveAll", "withService",
            "withOptionalService",
        ]
        for name in resolving { add(Entry(role: .resolves), name, "DependencyContainer.\(name)") }
        add(Entry(role: .resolves), "withResolved", "DependencyContainer.withResolved")
        for name in ["asyncResolve", "withAsyncResolved"] {
            add(Entry(role: .resolves, isAsync: true), name, "DependencyContainer.\(name)")
        }
        for type in ["LazyDependency", "DependencyProvider"] {
            for name in ["resolve", "require", "callAsFunction", "optionalResolve", "object", "wrappedValue"] {
                add(Entry(role: .resolves), "\(type).\(name)")
            }
            add(Entry(role: .resolves, isAsync: true), "\(type).asyncResolve")
        }
        // Later, it may be `asyncResolve` that creates the service.
        add(
            Entry(role: .resolves, isAsync: true, isLater: true), "DependencyContainer.provider", "LazyDependency.init")
        add(
            Entry(role: .resolves, isLater: true), "Dependency.init", "OptionalDependency.init",
            "DynamicDependency.init")

        add(Entry(role: .resolves, isAsync: true, isLater: true), "DependencyRoot.init")
        add(
            Entry(role: .resolves, isAsync: true, isLater: true, isVariadic: true, scope: .validation),
            "DependencyContainer.validate", "DependencyContainer.seal", "Trait.validates")
        add(Entry(role: .opensScope, scope: .validation), "DependencyRoutes.validate", "DependencyRoutes.seal")
        // The closure registers the services of an HTTP request for the snapshot only.
        add(
            Entry(role: .opensScope, scope: .validation), "DependencyContainer.snapshot",
            "RouterMethods.addSnapshotPage")
        // A check reports that a service is missing, and does not create it.
        add(Entry(role: .resolves, isAsync: true, isLater: true), "DependencyContainer.addHealthCheck")
        add(Entry(role: .resolves, isAsync: true, isLater: true), "DependencyService.init")
        for name in ["on", "get", "post", "put", "patch", "delete"] {
            add(Entry(role: .resolves, service: 1, isAsync: true, isLater: true), "RouterMethods.\(name)")
        }

        add(Entry(role: .opensScope, scope: .child), "DependencyContainer.makeChild", "DependencyContainer.withChild")
        add(
            Entry(role: .opensScope, scope: .child), "DependencyContainer.withChildWithoutAwaitingHooks",
            "RouterMethods.scoped")
        add(Entry(role: .resolves, scope: .child), "DependencyContainer.startJob")
        add(Entry(role: .opensScope, scope: .child), "RequestScope.init", "RequestScopeInterceptor.init")
        add(Entry(role: .opensScope, scope: .child), "DependencyChildren.init", "DependencyChildren.withChild")
        // What the closure registers is registered in the container of the call later.
        add(Entry(role: .opensScope), "DependencyContainer.commit")
        add(Entry(role: .warmsUp), "DependencyContainer.warmUp", "DependencyServiceGroup.init")
        return entries
    }()
}

/// A declaration of Hopoate or of one of its integrations.
struct KnownDeclaration {
    /// The name with its type, such as `DependencyContainer.register`.
    let name: String
    /// The labels and types of the parameters, as the demangler prints them.
    let parameters: String
    /// The type of the result.
    let result: String

    /// Nil if the demangled name belongs to another module.
    init?(demangled: String) {
        var text = Substring(demangled)
        var module: Substring?
        if text.hasPrefix("(extension in "), let end = text.range(of: "):") {
            module = text[text.index(text.startIndex, offsetBy: 14)..<end.lowerBound]
            text = text[end.upperBound...]
        }
        if text.hasPrefix("static ") { text = text.dropFirst(7) }
        var path: [Substring] = []
        repeat {
            let end = text.firstIndex { "<(. ".contains($0) } ?? text.endIndex
            path.append(text[..<end])
            text = text[end...]
            // The parameters of a type, or of its extension, may be in the middle of the path.
            let rest = text.hasPrefix("<") ? text[Self.end(ofGroupIn: text)...] : text
            if !rest.hasPrefix(".") { break }
            text = rest.dropFirst()
        } while true
        guard let first = path.first, (module ?? first).hasPrefix("Hopoate") else { return nil }
        name = path.dropFirst().joined(separator: ".")
        (parameters, result) = Self.split(text)
    }

    /// Whether a parameter has the label.
    func takes(_ label: String) -> Bool { parameters.contains("\(label): ") }

    /// The type of the parameter with the label, up to the next one.
    func type(of label: String) -> Substring {
        guard let start = parameters.range(of: "\(label): ") else { return "" }
        let end = ["afterCreation: ", "onDispose: "].compactMap { parameters.range(of: $0)?.lowerBound }.min()
        return parameters[start.upperBound..<max(start.upperBound, end ?? parameters.endIndex)]
    }

    /// The end of the brackets in which a text begins.
    private static func end(ofGroupIn text: Substring) -> Substring.Index {
        var depth = 0
        for (index, character) in zip(text.indices, text) {
            if "(<[".contains(character) { depth += 1 }
            // The end of an arrow is no bracket.
            if ")]".contains(character) || character == ">" && text[..<index].last != "-" { depth -= 1 }
            if depth == 0 { return text.index(after: index) }
        }
        return text.endIndex
    }

    /// Splits a signature at the last arrow that is in no brackets.
    private static func split(_ signature: Substring) -> (parameters: String, result: String) {
        var index = signature.startIndex
        var arrow: Substring.Index?
        while index < signature.endIndex {
            if signature[index...].hasPrefix("-> ") { arrow = index }
            index =
                "(<[".contains(signature[index]) ? end(ofGroupIn: signature[index...]) : signature.index(after: index)
        }
        guard let arrow else { return (String(signature), "") }
        return (String(signature[..<arrow]), String(signature[arrow...].dropFirst(3)))
    }
}
