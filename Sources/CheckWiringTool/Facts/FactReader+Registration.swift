extension FactReader {
    mutating func register(
        _ entry: Vocabulary.Entry, _ declaration: KnownDeclaration, _ node: SyntaxNode, _ callee: SyntaxNode,
        _ context: Context
    ) {
        let types = types(callee)
        guard types.count > entry.service else { return }
        let arguments = node["args"]["args"].elements
        var key = Key(type: types[entry.service])
        let isForward = entry.role == .forwards
        let others = types.dropFirst(entry.service + (isForward ? 2 : 1)).flatMap(symbols.types)
        let hasFactory = declaration.takes("factory") || declaration.takes("with") || isForward
        if hasFactory, declaration.name.hasPrefix("DependencyContainer.") { key.arguments = others }
        // The second name of an alias is that of its target.
        let target = arguments.firstIndex { $0["label"].text == "to" } ?? arguments.count
        if let name = arguments[..<target].first(where: { isName($0["expr"]) }) {
            key.name = symbols.name(name["expr"])
        }

        let registration = Registration(
            key, form(entry, declaration), place: registrationPlace(node),
            container: node.receiver.map { container($0, context) } ?? .unknown,
            branches: context.branches, function: context.function, module: context.type)
        registration.lifetime = lifetime(declaration, arguments, hasArguments: !key.arguments.isEmpty)
        registration.isAsync =
            declaration.takes("isolation")
            || ["factory", "using"].contains { declaration.type(of: $0).contains(" async ") }
        registration.mustReplace = argument("replacing", arguments)?["value"].isTrue == true
        registration.isReplacing =
            registration.mustReplace || declaration.name.hasSuffix("overwriteExistingRegistrations")
            || ["DependencyContainer.withStub", "MockContainer.init"].contains(declaration.name)
        registration.hasCompletion =
            argument("afterCreation", arguments).map { $0.kind != "default_argument_expr" } ?? false
        registration.hasPlaceOfCaller =
            argument("line", arguments).map { $0.kind != "default_argument_expr" } ?? false
        facts.registrations.append(registration)

        if declaration.takes("using") { addParameters(others, arguments, to: registration) }
        if isForward {
            var key = Key(type: types[entry.service + 1], arguments: others)
            if let name = arguments[target...].first(where: { isName($0["expr"]) }) {
                key.name = symbols.name(name["expr"])
            }
            registration.body.needs.append(
                Need(
                    key: key, kind: .service, isAsync: true, isLater: false, place: registration.place, asker: "forward"
                ))
        }
        walkArguments(arguments, of: registration, node, context)
    }

    private func form(_ entry: Vocabulary.Entry, _ declaration: KnownDeclaration) -> Registration.Form {
        switch entry.role {
        case .decorates: .decorator
        case .forwards: .forward
        default:
            declaration.name == "ProvidedProperty.property"
                ? .property
                : declaration.takes("using")
                    ? .initializer : declaration.takes("factory") || declaration.takes("creator") ? .factory : .instance
        }
    }

    /// The place that `#line` gives the registration: that of the arguments.
    private func registrationPlace(_ node: SyntaxNode) -> Place {
        let line = argument("line", node["args"]["args"].elements)
        return place(line?.kind == "default_argument_expr" && line?.start != nil ? line! : node)
    }

    private func argument(_ label: String, _ arguments: [SyntaxNode]) -> SyntaxNode? {
        arguments.first { $0["label"].text == label }?["expr"]
    }

    private func lifetime(
        _ declaration: KnownDeclaration, _ arguments: [SyntaxNode], hasArguments: Bool
    ) -> Registration.Lifetime {
        if declaration.takes("transient") || declaration.takes("as") { return .transient }
        if argument("cacheService", arguments)?["value"].isTrue == false,
            argument("cacheService", arguments)?.kind == "boolean_literal_expr"
        {
            return .transient
        }
        guard let lifetime = argument("lifetime", arguments)?.withoutConversions,
            lifetime.kind != "default_argument_expr"
        else {
            return hasArguments ? .transient : .singleton
        }
        switch lifetime.callee?["base_name"].text {
        case "singleton": return .singleton
        case "eager": return .eager
        case "scoped": return .scoped
        case "transient", "graph": return .transient
        case "weak", "cached", "keyed": return .shared
        default: return .unknown
        }
    }

    /// Walks closures as code of the registration, and other arguments as code of the caller.
    private mutating func walkArguments(
        _ arguments: [SyntaxNode], of registration: Registration, _ node: SyntaxNode, _ context: Context
    ) {
        walk(node["fn"], context)
        var inner = context
        inner.body = registration.body
        inner.closureContainer = .creating
        inner.branches = []
        for argument in arguments {
            var code = inner
            switch argument["label"].text ?? "" {
            case "afterCreation", "onDispose", "onAsyncDispose", "check":
                code.isLater = true
                walk(argument["expr"], code)
            case "factory", "using", "creator", "with", "as", "", "withService":
                code.isLater = false
                code.runsClosure = true
                walk(argument["expr"], code)
            default: walk(argument["expr"], context)
            }
        }
    }

    /// Registers the values that each request brings, in its child.
    mutating func registerValues(_ types: some Sequence<ServiceType>, _ node: SyntaxNode, _ context: Context) {
        register(types, .none, .instance, in: .child, node, context)
    }

    mutating func registerProperties(_ types: some Sequence<ServiceType>, _ node: SyntaxNode, _ context: Context) {
        register(
            types, node.receiver == nil ? .open : .none, .property,
            in: node.receiver.map { container($0, context) } ?? .unknown, node, context)
    }

    /// Registers types without the code that creates them.
    private mutating func register(
        _ types: some Sequence<ServiceType>, _ name: ServiceName, _ form: Registration.Form, in container: Container,
        _ node: SyntaxNode, _ context: Context
    ) {
        for type in types.flatMap(symbols.types) {
            facts.registrations.append(
                Registration(
                    Key(type: type, name: name), form, place: registrationPlace(node), container: container,
                    branches: context.branches, function: context.function, module: context.type))
        }
    }

    // MARK: - Parameters

    /// Adds the parameters of an initializer or of a typed closure as needs.
    private func addParameters(_ types: [ServiceType], _ arguments: [SyntaxNode], to registration: Registration) {
        let sources = sources(arguments)
        for (index, type) in types.enumerated() {
            let source = index < sources.count ? sources[index] : .service(.none)
            guard case .service(let name) = source else { continue }
            registration.body.needs.append(parameter(type, name, of: registration))
        }
    }

    /// Where a parameter comes from.
    enum ParameterSource {
        case service(ServiceName)
        /// A value of the caller, or of the environment.
        case value
    }

    /// The sources after `taking:`, such as `.named(.europe)` and `.value(7)`. The first of them has the label, and the others have none. A
    /// source that is no static member of `ParameterSource` is a name that the program computes.
    private func sources(_ arguments: [SyntaxNode]) -> [ParameterSource] {
        guard let first = arguments.firstIndex(where: { $0["label"].text == "taking" }) else { return [] }
        let others = arguments[(first + 1)...].prefix { $0["label"].isNull }
        return ([arguments[first]] + others).map { argument in
            let source = argument["expr"].withoutConversions
            switch source.callee?["base_name"].text {
            case "service": return .service(.none)
            case "named": return .service((source["args"]["args"].elements.first?["expr"]).map(symbols.name) ?? .open)
            case "value", "environment": return .value
            default: return .service(.open)
            }
        }
    }

    private func parameter(_ type: ServiceType, _ name: ServiceName, of registration: Registration) -> Need {
        // The parameters are resolved in the way in which the service is.
        var need = Need(
            key: Key(type: type, name: name), kind: .service, isAsync: true, isLater: false,
            place: registration.place,
            isParameter: true, asker: "a parameter")
        need.literal = need.key
        func wrap(_ kind: Need.Kind, _ text: Substring, isLater: Bool = false) {
            need.kind = kind
            need.key.type = symbols.type(text: String(text))
            need.isLater = isLater
        }
        let text = type.text[...]
        if text.hasPrefix("Hopoate.LazyDependency<") {
            wrap(.lazy, text.dropFirst(23).dropLast(), isLater: true)
        } else if text.hasPrefix("Hopoate.DependencyProvider<") {
            wrap(.provider, text.dropFirst(27).dropLast(), isLater: true)
        } else if text.hasSuffix("?"), !text.contains("->") {
            wrap(.optional, text.dropLast())
        } else if text.hasPrefix("["), text.hasSuffix("]"), !text.contains(" : ") {
            wrap(.list, text.dropFirst().dropLast())
        }
        return need
    }
}
