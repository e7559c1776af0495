/// The declarations of all modules. The reader of each module uses them.
struct Symbols {
    /// The demangled forms of symbols and types.
    private(set) var texts: [String: String] = [:]
    /// The names of services that constants hold.
    private(set) var constants: [String: ServiceName] = [:]
    /// The types of `DependencyModule`, by name.
    private(set) var modules: Set<String> = []
    /// The types that conform to a protocol, or inherit from a class.
    private(set) var conformances: [String: Set<String>] = [:]
    private var protocols: Set<String> = []
    /// The functions of Hopoate that register or resolve, as far as the trees refer to them.
    private(set) var usedSymbols: Set<String> = []

    init(_ trees: [SyntaxNode], demangle: (Set<String>) throws -> [String: String]) throws {
        var symbols: Set<String> = []
        for tree in trees { Self.collect(tree, into: &symbols) }
        texts = try demangle(symbols)
        protocols = Set(texts.filter { $0.key.hasSuffix("_pD") && $0.key.hasPrefix("$s") }.map(\.value))
        usedSymbols = symbols.filter { symbol in
            KnownDeclaration(demangled: text(symbol)).flatMap { Vocabulary.entry(of: $0.name) } != nil
        }
        for tree in trees { add(tree) }
    }

    /// The demangled form without the discriminators of private declarations.
    func text(_ symbol: String?) -> String { symbol.flatMap { texts[$0] } ?? "" }

    /// The type with a mangled name.
    func type(_ mangled: String?) -> ServiceType { type(text: text(mangled), mangled: mangled) }

    func type(text: String, mangled: String? = nil) -> ServiceType {
        ServiceType(
            text: text, shown: protocols.contains(text) ? "any \(text)" : text, mangled: mangled,
            isOpen: Self.isOpen(text))
    }

    /// The types of a pack, or the one type.
    func types(_ type: ServiceType) -> [ServiceType] {
        guard type.text.hasPrefix("Pack{"), type.text.hasSuffix("}") else { return [type] }
        return Self.split(type.text.dropFirst(5).dropLast()).map { self.type(text: $0) }
    }

    /// Whether a type has a generic parameter, which the demangler prints as a letter and perhaps a number, or an opaque type.
    private static func isOpen(_ text: String) -> Bool {
        if text.contains("<<opaque") || text.isEmpty { return true }
        return text.split { !($0.isLetter || $0.isNumber || $0 == "_" || $0 == ".") }.contains { word in
            // A name of a type has its module before it.
            guard let first = word.first, first.isUppercase, !word.hasPrefix("Any") else { return false }
            let head = word.prefix { $0 != "." }
            return head.count <= 3 && head.dropFirst().allSatisfy(\.isNumber)
        }
    }

    /// Splits a list at the commas that are in no parentheses.
    private static func split(_ list: Substring) -> [String] {
        var parts: [String] = []
        var part = ""
        var depth = 0
        var previous: Character?
        for character in list {
            if "([<{".contains(character) { depth += 1 }
            if ")]}".contains(character) || character == ">" && previous != "-" { depth -= 1 }
            previous = character
            if character == ",", depth == 0 {
                parts.append(part)
                part = ""
            } else if !(part.isEmpty && character == " ") {
                part.append(character)
            }
        }
        return part.isEmpty ? parts : parts + [part]
    }

    private static func collect(_ node: SyntaxNode, into symbols: inout Set<String>) {
        if case .object(let fields) = node {
            for (key, value) in fields {
                guard let text = value.text else { continue }
                switch key {
                case "replacement_type", "generic_param", "extended_type", "superclass_type", "superclass_decl_usr":
                    symbols.insert(text)
                case "decl_usr", "usr", "protocol":
                    if text.hasPrefix("s:"), text.contains("Hopoate") || key != "decl_usr" { symbols.insert(text) }
                case "type":
                    let kind = node.kind
                    if kind == "type_expr" || kind.hasSuffix("conformance") { symbols.insert(text) }
                default: break
                }
            }
        }
        for child in node.children { collect(child, into: &symbols) }
    }

    // MARK: - Declarations

    private mutating func add(_ node: SyntaxNode) {
        switch node.kind {
        case "struct_decl", "class_decl", "enum_decl", "extension_decl":
            let name = typeName(of: node)
            for conformance in node["inherits"]["conformances"].elements {
                let conformed = text(conformance["protocol"].text)
                conformances[conformed, default: []].insert(name)
                if conformed == "Hopoate.DependencyModule" { modules.insert(name) }
            }
            if let superclass = node["inherits"]["superclass_type"].text {
                conformances[text(superclass), default: []].insert(name)
            }
        case "protocol":
            protocols.insert(text(node["usr"].text))
        default: break
        }
        for list in [node["items"], node["members"], node["elements"]] { addConstants(list.elements) }
        for child in node.children { add(child) }
    }

    /// The name of the type that a declaration declares or extends.
    func typeName(of node: SyntaxNode) -> String {
        let name = text(node["extended_type"].text ?? node["usr"].text)
        return String(name.prefix { $0 != "<" })
    }

    private mutating func addConstants(_ declarations: [SyntaxNode]) {
        var values: [String: SyntaxNode] = [:]
        for declaration in declarations where declaration.kind == "pattern_binding_decl" {
            for entry in declaration["pattern_entries"].elements {
                guard let name = entry["pattern"].boundName else { continue }
                values[name] = entry["processed_init"].isNull ? entry["original_init"] : entry["processed_init"]
            }
        }
        for declaration in declarations where declaration.kind == "var_decl" {
            guard let symbol = declaration["usr"].text,
                declaration["interface_type"].text?.contains("7Hopoate14DependencyNameV") == true
            else { continue }
            let computed = declaration["accessors"].elements.first?["body"]["elements"].elements.first?["result"]
            let isConstant = declaration["let"].isTrue || values[declaration.declaredName ?? ""] == nil
            guard isConstant, let value = values[declaration.declaredName ?? ""] ?? computed else { continue }
            let name = name(value)
            if name != .open { constants[symbol] = name }
        }
    }

    // MARK: - Names

    /// The name of a service that an expression is.
    func name(_ expression: SyntaxNode) -> ServiceName {
        let expression = expression.withoutConversions
        switch expression.kind {
        case "string_literal_expr": return expression["value"].text.map(ServiceName.text) ?? .open
        case "nil_literal_expr", "default_argument_expr": return .none
        case "call_expr":
            let argument = expression["args"]["args"].elements.first?["expr"].withoutConversions
            guard
                let declaration = expression.callee.flatMap({ KnownDeclaration(demangled: text($0["decl_usr"].text)) }),
                declaration.name == "DependencyName.init", let argument, argument.kind == "string_literal_expr"
            else { return expression.isNilOfOptional ? .none : .open }
            return argument["value"].text.map(ServiceName.text) ?? .open
        case "member_ref_expr", "declref_expr":
            guard let symbol = expression["decl"]["decl_usr"].text, !symbol.isEmpty else { return .open }
            if let name = constants[symbol] { return name }
            return symbol.hasSuffix("vpZ") ? .constant(symbol) : .open
        default: return expression.isNilOfOptional ? .none : .open
        }
    }
}

extension SyntaxNode {
    /// The name that a pattern binds.
    var boundName: String? {
        kind == "pattern_named" ? declaredName : self["sub_pattern"].isNull ? nil : self["sub_pattern"].boundName
    }

    /// The expression inside of implicit conversions.
    var withoutConversions: SyntaxNode {
        let inner = self["sub_expr"]
        guard !inner.isNull, !["closure_expr", "autoclosure_expr", "dot_self_expr", "array_expr"].contains(kind) else {
            return self
        }
        return inner.withoutConversions
    }

    /// The declaration that a call calls, as a `decl_ref`.
    var callee: SyntaxNode? {
        switch kind {
        case "declref_expr", "other_constructor_ref_expr", "member_ref_expr": self["decl"]
        case "call_expr", "dot_syntax_call_expr", "constructor_ref_call_expr": self["fn"].callee
        // A name with its module before it.
        case "dot_syntax_base_ignored": self["rhs"].callee
        default: self["sub_expr"].isNull ? nil : self["sub_expr"].callee
        }
    }

    /// The expression before the dot of a call; nil if there is none.
    var receiver: SyntaxNode? {
        switch kind {
        case "call_expr": self["fn"].receiver
        case "dot_syntax_call_expr": self["args"]["args"].elements.first?["expr"]
        default: self["sub_expr"].isNull ? nil : self["sub_expr"].receiver
        }
    }

    /// Whether this is `nil`, which is an element of `Optional`.
    fileprivate var isNilOfOptional: Bool { callee?["base_name"].text == "none" }
}
