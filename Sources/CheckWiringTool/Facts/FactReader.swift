/// Reads the facts from the syntax trees of one module.
struct FactReader {
    let module: String
    let symbols: Symbols
    var facts: Facts

    private var path = ""
    private var lines = LineTable("")
    private var lastCondition = 0

    init(_ module: String, _ symbols: Symbols, adding facts: Facts) {
        self.module = module
        self.symbols = symbols
        self.facts = facts
    }

    /// The code around an expression.
    struct Context {
        var body: Body
        /// The symbol of the function around it.
        var function: String
        /// The type around it.
        var type: String?
        /// The containers that variables hold.
        var containers: [String: Container] = [:]
        var branches: [Branch] = []
        /// The container that installs modules, inside of the arguments of `install`.
        var installing: Container?
        /// Whether the code runs after the body.
        var isLater = false
        /// Whether the next closure runs as part of the body.
        var runsClosure = false
        /// The containers that closures get as parameters.
        var closureContainer = Container.unknown
    }

    mutating func read(_ tree: SyntaxNode) {
        path = tree["filename"].text ?? ""
        lines = LineTable(path: path)
        walk(tree["items"], Context(body: body("file:\(path)"), function: "file:\(path)"))
    }

    // MARK: - Walk

    func place(_ node: SyntaxNode) -> Place { place(node.start) }

    private func place(_ offset: Int?) -> Place {
        let (line, column) = lines.position(of: offset ?? 0)
        return Place(module: module, path: path, line: line, column: column)
    }

    private mutating func body(_ id: String) -> Body {
        if let body = facts.bodies[id] { return body }
        let body = Body(id)
        facts.bodies[id] = body
        return body
    }

    mutating func walk(_ node: SyntaxNode, _ context: Context) {
        switch node.kind {
        case "func_decl", "constructor_decl", "destructor_decl", "accessor_decl", "subscript_decl":
            walkFunction(node, context)
        case "struct_decl", "class_decl", "enum_decl", "extension_decl": walkType(node, context)
        case "var_decl": walkVariable(node, context)
        case "pattern_binding_decl": walkBinding(node, context)
        case "brace_stmt": walkStatements(node, context)
        case "call_expr": walkCall(node, context)
        case "closure_expr": walkClosure(node, context)
        case "if_stmt":
            walk(node, context, arms: [node["then_stmt"], node["else_stmt"]], except: ["then_stmt", "else_stmt"])
        case "ternary_expr":
            walk(node, context, arms: [node["then_expr"], node["else_expr"]], except: ["then_expr", "else_expr"])
        case "guard_stmt": walk(node, context, arms: [node["body"]], except: ["body"])
        case "switch_stmt": walk(node, context, arms: node["cases"].elements, except: ["cases"])
        case "do_catch_stmt":
            walk(node, context, arms: [node["body"]] + node["catch_stmts"].elements, except: ["body", "catch_stmts"])
        case "type_expr": noteUse(node, context)
        case "declref_expr", "member_ref_expr", "other_constructor_ref_expr":
            noteReference(node, context)
            walkChildren(node, context)
        default: walkChildren(node, context)
        }
    }

    private mutating func walkChildren(_ node: SyntaxNode, _ context: Context) {
        for child in node.children { walk(child, context) }
    }

    private mutating func walk(_ node: SyntaxNode, _ context: Context, arms: [SyntaxNode], except keys: Set<String>) {
        lastCondition += 1
        let condition = lastCondition
        if case .object(let fields) = node {
            for (key, value) in fields where !keys.contains(key) { walk(value, context) }
        }
        for (index, arm) in arms.enumerated() {
            var context = context
            context.branches.append(Branch(condition: condition, arm: index))
            walk(arm, context)
        }
    }

    /// The statements of a block, in which a variable is known from its declaration on.
    private mutating func walkStatements(_ node: SyntaxNode, _ context: Context) {
        var context = context
        for statement in node["elements"].elements {
            for entry in statement["pattern_entries"].elements {
                guard let name = entry["pattern"].boundName else { continue }
                let value = entry["processed_init"].isNull ? entry["original_init"] : entry["processed_init"]
                guard value.withoutConversions["type"].text == Self.containerType else { continue }
                let container = container(value, context)
                context.containers[name] = container == .unknown ? .variable("\(context.function)#\(name)") : container
            }
            walk(statement, context)
        }
    }

    private mutating func walkFunction(_ node: SyntaxNode, _ context: Context) {
        var inner = context
        let symbol = node["usr"].text ?? "\(context.function)#\(node.start ?? 0)"
        // The accessors of a variable are one body, which is found by the symbol of the variable.
        if node.kind != "accessor_decl" {
            inner.function = symbol
            inner.body = body(symbol)
        }
        (inner.branches, inner.isLater, inner.installing) = ([], false, nil)
        if node["implicit_self_decl"]["interface_type"].text == Self.containerType
            || context.type == "Hopoate.DependencyContainer"
        {
            inner.containers["self"] = .parameter(function: symbol, index: -1)
        }
        for (index, parameter) in node["params"]["params"].elements.enumerated() {
            guard let name = parameter.declaredName, parameter["interface_type"].text == Self.containerType else {
                continue
            }
            inner.containers[name] = .parameter(function: symbol, index: index)
        }
        if node.kind == "constructor_decl", let type = context.type { addCall("type:\(type)", place(node), inner) }
        walkChildren(node, inner)
    }

    private mutating func walkType(_ node: SyntaxNode, _ context: Context) {
        var inner = context
        let name = symbols.typeName(of: node)
        inner.type = name
        inner.function = "type:\(name)"
        inner.body = body("type:\(name)")
        if node.kind != "extension_decl", symbols.modules.contains(name) {
            facts.modules.append(ModuleType(name: name, place: place(node["name"].start ?? node.start)))
        }
        walk(node["members"], inner)
        if node.kind == "enum_decl" { walk(node["elements"], inner) }
    }

    private mutating func walkVariable(_ node: SyntaxNode, _ context: Context) {
        var inner = context
        if let symbol = node["usr"].text {
            inner.function = symbol
            inner.body = body(symbol)
        }
        walk(node["accessors"], inner)
    }

    private mutating func walkBinding(_ node: SyntaxNode, _ context: Context) {
        for entry in node["pattern_entries"].elements {
            walk(entry["pattern"], context)
            walk(entry["processed_init"].isNull ? entry["original_init"] : entry["processed_init"], context)
        }
    }

    private mutating func walkClosure(_ node: SyntaxNode, _ context: Context) {
        var inner = context
        if node["escaping"].isTrue, !context.runsClosure { inner.isLater = true }
        for parameter in node["params"]["params"].elements {
            guard let name = parameter.declaredName, parameter["interface_type"].text == Self.containerType else {
                continue
            }
            inner.containers[name] = context.closureContainer
        }
        (inner.runsClosure, inner.closureContainer) = (false, .unknown)
        walk(node["body"], inner)
    }

    // MARK: - References

    static let containerType = "$s7Hopoate19DependencyContainerCD"

    /// The container that an expression is.
    func container(_ expression: SyntaxNode, _ context: Context) -> Container {
        let expression = expression.withoutConversions
        switch expression.kind {
        case "declref_expr", "member_ref_expr":
            let symbol = expression["decl"]["decl_usr"].text ?? ""
            if !symbol.isEmpty { return .variable(symbol) }
            let name = expression["decl"]["base_name"].text ?? ""
            return context.containers[name] ?? .variable("\(context.function)#\(name)")
        case "call_expr": return expression.callee?["base_name"].text == "makeChild" ? .child : .unknown
        default: return .unknown
        }
    }

    private mutating func noteUse(_ node: SyntaxNode, _ context: Context) {
        let name = String(symbols.text(node["type"].text).prefix { $0 != "<" }).replacing(".Type", with: "")
        guard symbols.modules.contains(name), name != context.type else { return }
        let outer = context.type.flatMap { symbols.modules.contains($0) && context.installing == nil ? $0 : nil }
        facts.uses[name, default: []].append(
            ModuleUse(
                function: context.function, outer: outer, container: context.installing ?? .unknown,
                branches: context.branches))
    }

    private mutating func noteReference(_ node: SyntaxNode, _ context: Context) {
        guard let symbol = node["decl"]["decl_usr"].text, symbol.hasPrefix("s:") else { return }
        let declaration = KnownDeclaration(demangled: symbols.text(symbol))
        // The properties of a lazy dependency resolve it.
        if let declaration, let entry = Vocabulary.entry(of: declaration.name), entry.role == .resolves,
            node.kind == "member_ref_expr"
        {
            facts.readSymbols.insert(symbol)
            addNeeds(entry, declaration, node, node["decl"], context)
        } else if declaration == nil {
            addCall(symbol, place(node), context, substitutions: substitutions(node["decl"]))
        }
    }

    private func addCall(
        _ function: String, _ place: Place, _ context: Context, containers: [Int: Container] = [:],
        substitutions: [String: ServiceType] = [:]
    ) {
        context.body.calls.append(
            Call(
                function: function, containers: containers, substitutions: substitutions, branches: context.branches,
                isLater: context.isLater, place: place))
    }

    /// The types that a call gives to generic parameters, as far as they are known here. Only the program knows the type of an existential
    /// that the call opens. Such an argument has no code of its own.
    private func substitutions(_ declaration: SyntaxNode, _ arguments: [SyntaxNode] = []) -> [String: ServiceType] {
        var substitutions: [String: ServiceType] = [:]
        let opened = arguments.map { $0["expr"] }.filter { $0.kind == "opaque_value_expr" }.map { $0["type"].text }
        for substitution in declaration["substitutions"]["substitutions"].elements
        where !opened.contains(substitution["replacement_type"].text) {
            substitutions[symbols.text(substitution["generic_param"].text)] = symbols.type(
                substitution["replacement_type"].text)
        }
        return substitutions
    }

    // MARK: - Calls

    private mutating func walkCall(_ node: SyntaxNode, _ context: Context) {
        guard let callee = node.callee, let symbol = callee["decl_usr"].text else { return walkChildren(node, context) }
        if let declaration = KnownDeclaration(demangled: symbols.text(symbol)) {
            guard let entry = Vocabulary.entry(of: declaration.name) else {
                // A method of containers that is generic may resolve.
                let isMethod =
                    declaration.name.hasPrefix("DependencyContainer.")
                    && declaration.name.split(separator: ".").count == 2
                if isMethod, !callee["substitutions"].isNull, !Vocabulary.withoutEffect.contains(declaration.name) {
                    facts.unknownCalls.append(
                        OpenFact(place: place(node), message: "this tool does not know '\(declaration.name)'"))
                }
                return walkChildren(node, context)
            }
            facts.readSymbols.insert(symbol)
            return apply(entry, declaration, node, callee, context)
        }
        var containers: [Int: Container] = [:]
        if let receiver = node.receiver, receiver["type"].text == Self.containerType {
            containers[-1] = container(receiver, context)
        }
        for (index, argument) in node["args"]["args"].elements.enumerated()
        where argument["expr"].withoutConversions["type"].text == Self.containerType {
            containers[index] = container(argument["expr"], context)
        }
        if symbol.hasPrefix("s:") {
            addCall(
                symbol, place(node), context, containers: containers,
                substitutions: substitutions(callee, node["args"]["args"].elements))
        }
        if node["fn"].kind == "constructor_ref_call_expr",
            let type = node["fn"]["args"]["args"].elements.first?["expr"]["type"].text
        {
            addCall(
                "type:" + symbols.text(type).prefix { $0 != "<" }.replacing(".Type", with: ""), place(node), context)
        }
        walk(node["fn"]["args"], context)
        walk(node["args"], context)
    }

    private mutating func apply(
        _ entry: Vocabulary.Entry, _ declaration: KnownDeclaration, _ node: SyntaxNode, _ callee: SyntaxNode,
        _ context: Context
    ) {
        var inner = context
        inner.closureContainer = entry.scope
        switch entry.role {
        case .registers, .decorates, .forwards:
            return register(entry, declaration, node, callee, context)
        case .resolves:
            addNeeds(entry, declaration, node, callee, context)
        case .installs:
            if declaration.takes("named") || declaration.parameters.contains("KeyPath<") {
                // The first type is that of the object.
                registerProperties(types(callee).dropFirst(), node, context)
            }
            inner.installing = node.receiver.map { container($0, context) } ?? .unknown
            inner.runsClosure = true
        case .opensScope:
            // The first type is that of the router.
            if declaration.takes("values") { registerValues(types(callee).dropFirst(), node, context) }
        case .warmsUp: facts.warmsUp = true
        }
        walk(node["fn"], inner)
        walk(node["args"], inner)
    }

    /// The types that a call substitutes for generic parameters.
    func types(_ callee: SyntaxNode) -> [ServiceType] {
        callee["substitutions"]["substitutions"].elements.map { symbols.type($0["replacement_type"].text) }
    }

    private mutating func addNeeds(
        _ entry: Vocabulary.Entry, _ declaration: KnownDeclaration, _ node: SyntaxNode, _ callee: SyntaxNode,
        _ context: Context
    ) {
        // Values have defaults, and a service that exists already is not resolved.
        if declaration.parameters.contains("KeyPath<Hopoate.DependencyValues") || declaration.takes("running") {
            return
        }
        let types = types(callee)
        guard types.count > entry.service else { return }
        let services = entry.isVariadic ? types.flatMap(symbols.types) : symbols.types(types[entry.service])
        for service in services {
            var key = Key(type: service)
            if declaration.takes("arguments") {
                key.arguments = types.dropFirst(entry.service + 1).prefix(2).flatMap(symbols.types)
            }
            let arguments = node["args"]["args"].elements
            if let name = arguments.first(where: { isName($0["expr"]) }) { key.name = symbols.name(name["expr"]) }
            var need = Need(
                key: key, kind: kind(declaration), isAsync: entry.isAsync, isLater: entry.isLater || context.isLater,
                place: place(node), asker: asker(declaration))
            need.takesAnyName = declaration.takes("includingNamed")
            context.body.needs.append(need)
        }
    }

    /// The word for the call in messages: the function, or the type of a wrapper.
    private func asker(_ declaration: KnownDeclaration) -> String {
        let path = declaration.name.split(separator: ".")
        return String(path.last == "init" ? path[0] : path[path.count - 1])
    }

    private func kind(_ declaration: KnownDeclaration) -> Need.Kind {
        if declaration.result.hasPrefix("Hopoate.LazyDependency<") { return .lazy }
        if declaration.result.hasPrefix("Hopoate.DependencyProvider<") { return .provider }
        if declaration.result.hasPrefix("[") { return .list }
        return declaration.result.hasSuffix("?") || declaration.name.contains("ptional") ? .optional : .service
    }

    func isName(_ expression: SyntaxNode) -> Bool {
        expression["type"].text?.hasPrefix("$s7Hopoate14DependencyNameV") == true
    }
}
