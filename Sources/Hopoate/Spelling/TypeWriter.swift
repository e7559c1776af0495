/// Writes types as Swift source.
struct TypeWriter {
    /// A written type.
    struct Text {
        var text: String
        /// Whether it can be a part of an expression. Some types are read only where the compiler expects a type.
        var isExpression = true
        /// Whether it has to be in parentheses before `?` and `.Type`.
        var isCompound = false

        fileprivate var grouped: String { isCompound ? "(\(text))" : text }
    }

    /// Whether the text is for code, and not for readers: then it leaves out the contexts that code cannot name.
    let isForCode: Bool
    /// Whether Swift has a notation for all types so far.
    private(set) var isSource = true

    init(isForCode: Bool) {
        self.isForCode = isForCode
    }

    mutating func write(_ type: TypeTree) -> Text {
        switch type {
        case .declaration(let declaration): short(declaration) ?? inFull(declaration)
        case .tuple(let elements): tuple(elements)
        case .function(let function): write(function)
        case .existential(let existential): write(existential)
        case .metatype(let type): metatype(write(type))
        case .existentialMetatype(let type): existentialMetatype(type)
        case .specified(let specifier, let type):
            Text(text: "\(specifier.rawValue) \(write(type).text)", isExpression: false)
        case .pack(let types): list(types.map { write($0) })
        case .integer(let value): Text(text: "\(value)")
        case .module, .unnamed, .extended: Text(text: context(type))
        }
    }

    private func list(_ texts: [Text], _ open: String = "", _ close: String = "") -> Text {
        Text(
            text: open + texts.map(\.text).joined(separator: ", ") + close,
            isExpression: texts.allSatisfy(\.isExpression))
    }

    // MARK: - Declarations

    /// An optional, an array or a dictionary, as source has it; nil for other types.
    private mutating func short(_ declaration: TypeTree.Declaration) -> Text? {
        guard declaration.context == .module("Swift") else { return nil }
        let arguments = declaration.arguments
        switch (declaration.name, arguments.count) {
        case ("Optional", 1):
            let wrapped = write(arguments[0])
            return Text(text: wrapped.grouped + "?", isExpression: wrapped.isExpression)
        case ("Array", 1): return list([write(arguments[0])], "[", "]")
        case ("Dictionary", 2):
            let (key, value) = (write(arguments[0]), write(arguments[1]))
            return Text(text: "[\(key.text): \(value.text)]", isExpression: key.isExpression && value.isExpression)
        default: return nil
        }
    }

    private mutating func inFull(_ declaration: TypeTree.Declaration) -> Text {
        var isExpression = true
        var path = context(declaration.context, &isExpression)
        // After a dot, these names mean the metatype.
        if ["Type", "Protocol"].contains(declaration.name), !path.isEmpty { isSource = false }
        path += sourceName(declaration.name)
        if declaration.arguments.isEmpty { return Text(text: path, isExpression: isExpression) }
        // Code takes the arguments of a pack one by one.
        let arguments = declaration.arguments.flatMap { argument in
            if case .pack(let types) = argument { types } else { [argument] }
        }
        let texts = arguments.map { write($0).text }
        // In an expression, `<>` and `<-` would be operators.
        if texts.isEmpty { isExpression = false }
        let space = texts.first?.hasPrefix("-") == true ? " " : ""
        return Text(text: path + "<" + space + texts.joined(separator: ", ") + ">", isExpression: isExpression)
    }

    private mutating func context(_ context: TypeTree) -> String {
        var isExpression = true
        return self.context(context, &isExpression)
    }

    /// The context of a declaration, with a dot.
    private mutating func context(_ context: TypeTree, _ isExpression: inout Bool) -> String {
        switch context {
        case .module(let name):
            // Code refers to the declarations of C without a module. If a type has the name of its module, the type is meant.
            name == "__C" || isForCode && isShadowed(module: name) ? "" : sourceName(name) + "."
        case .unnamed(in: .unnamed(in: let outer, _), _):
            // In a function, where code needs no more than the name.
            isForCode ? "" : functionContext(outer)
        case .unnamed(in: let outer, _): self.context(outer, &isExpression)
        case .extended(let type, _): self.context(type, &isExpression)
        case .declaration(let declaration): dotted(inFull(declaration), &isExpression)
        default: dotted(write(context), &isExpression)
        }
    }

    private func dotted(_ text: Text, _ isExpression: inout Bool) -> String {
        if !text.isExpression { isExpression = false }
        return text.grouped + "."
    }

    private mutating func functionContext(_ outer: TypeTree) -> String {
        // A function in a function, or a closure.
        if case .unnamed(in: let next, _) = outer { return functionContext(next) }
        return context(outer) + "(function)."
    }

    // MARK: - Tuples and functions

    private mutating func tuple(_ elements: [TypeTree.Element]) -> Text {
        if elements.isEmpty { return Text(text: "Swift.Void") }
        return list(elements.map { write($0) }, "(", ")")
    }

    private mutating func write(_ element: TypeTree.Element) -> Text {
        var text = write(element.type)
        if let label = element.label { text.text = "\(sourceLabel(label)): \(text.text)" }
        if element.isVariadic {
            text.text = text.grouped + "..."
            text.isExpression = false
        }
        return text
    }

    private mutating func write(_ function: TypeTree.Function) -> Text {
        var attributes: [String] = []
        if function.convention != .swift { attributes.append("@convention(\(function.convention))") }
        if let actor = function.globalActor { attributes.append("@" + write(actor).text) }
        if function.isIsolatedToAnyActor { attributes.append("@isolated(any)") }
        if function.isSendable { attributes.append("@Sendable") }
        if function.runsOnTheCallersActor { attributes.append("nonisolated(nonsending)") }
        var parameters: [Text] = []
        for parameter in function.parameters { parameters.append(self.parameter(parameter)) }
        var effects = function.isAsynchronous ? " async" : ""
        var isExpression = true
        switch function.failure {
        case .none: break
        case .any: effects += " throws"
        case .typed(let error): effects += " throws(\(write(error).text))"
        }
        var result = write(function.result)
        // Attributes cannot follow an arrow.
        if case .function = function.result, !result.text.hasPrefix("(") { result.text = result.grouped }
        if function.sendsItsResult { result.text = "sending " + result.text }
        if function.sendsItsResult || function.runsOnTheCallersActor { isExpression = false }
        let list = list(parameters, "(", ")")
        return Text(
            text: (attributes + ["\(list.text)\(effects) -> \(result.text)"]).joined(separator: " "),
            isExpression: isExpression && list.isExpression && result.isExpression, isCompound: true)
    }

    private mutating func parameter(_ parameter: TypeTree.Element) -> Text {
        var text = write(parameter)
        switch parameter.type {
        case .function(let function) where function.isEscaping && function.convention == .swift:
            text.text = "@escaping " + text.text
        case .specified(let specifier, .function(let function)) where function.isEscaping && specifier != .inout:
            text.text = "\(specifier.rawValue) @escaping \(write(.function(function)).text)"
        case .declaration where mayBeNoncopyable(parameter.type):
            // The default, which the run time does not name. It cannot be left out here, and is right for all types.
            text = Text(text: "borrowing \(text.text)", isExpression: false)
        default: break
        }
        return text
    }

    // MARK: - Protocols

    private mutating func write(_ existential: TypeTree.Existential) -> Text {
        let parts = parts(of: existential)
        if parts.isEmpty { return Text(text: "Any") }
        let text = parts.joined(separator: " & ")
        return isObject(existential) ? Text(text: text) : Text(text: "any " + text, isCompound: true)
    }

    private func isObject(_ existential: TypeTree.Existential) -> Bool {
        existential == TypeTree.Existential(isForObjects: true)
    }

    private mutating func parts(of existential: TypeTree.Existential) -> [String] {
        var parts: [String] = []
        var left = existential.requirements
        for proto in existential.protocols {
            // The associated type may be that of a protocol from which this one inherits.
            let requirements = left.filter { $0.proto == proto || existential.protocols.count == 1 }
            left.removeAll { requirements.contains($0) }
            parts.append(write(proto).text + arguments(requirements, of: proto))
        }
        if !left.isEmpty {
            isSource = false
            parts.append(named(left))
        }
        if let superclass = existential.superclass { parts.append(write(superclass).text) }
        if existential.isForObjects { parts.append("Swift.AnyObject") }
        return parts + existential.inverses.map { "~Swift.\($0)" }
    }

    /// The arguments of a protocol. The run time knows them in alphabetical order, and not in that of the declaration.
    private mutating func arguments(_ requirements: [TypeTree.Existential.Requirement], of proto: TypeTree) -> String {
        guard let first = requirements.first else { return "" }
        let isOrdered =
            proto == .standard("AsyncSequence", .proto) || requirements.allSatisfy { $0.type == first.type }
        if isOrdered { return "<" + requirements.map { write($0.type).text }.joined(separator: ", ") + ">" }
        isSource = false
        return named(requirements)
    }

    private mutating func named(_ requirements: [TypeTree.Existential.Requirement]) -> String {
        "<" + requirements.map { "\($0.name) == \(write($0.type).text)" }.joined(separator: ", ") + ">"
    }

    private func metatype(_ type: Text) -> Text {
        Text(text: type.grouped + ".Type", isExpression: type.isExpression)
    }

    private mutating func existentialMetatype(_ type: TypeTree) -> Text {
        var text = instances(of: type)
        text.text = "any \(text.text).Type"
        text.isCompound = true
        return text
    }

    /// A type of protocols between `any` and `.Type`.
    private mutating func instances(of type: TypeTree) -> Text {
        switch type {
        case .existentialMetatype(let inner):
            var text = instances(of: inner)
            text.text += ".Type"
            return text
        case .existential(let existential):
            let parts = parts(of: existential)
            if parts.isEmpty { return Text(text: "Any", isExpression: false) }
            let text = parts.joined(separator: " & ")
            return parts.count == 1 ? Text(text: text) : Text(text: "(\(text))", isExpression: false)
        default: return write(type)
        }
    }
}

// MARK: - Names

/// A name as source has it: in backticks if it is a keyword. The name of a declaration with other letters has them already.
private func sourceName(_ name: String) -> String { keywords.contains(name) ? "`\(name)`" : name }

/// The label of an element as source has it. Labels may be keywords, with three exceptions.
private func sourceLabel(_ label: String) -> String {
    ["inout", "let", "var"].contains(label) ? "`\(label)`" : label
}

private let keywords: Set<String> = [
    "Any", "Protocol", "Self", "Type", "actor", "as", "associatedtype", "break", "case", "catch", "class", "continue",
    "default", "defer", "deinit", "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for",
    "func", "guard", "if", "import", "in", "init", "inout", "internal", "is", "let", "nil", "operator",
    "precedencegroup", "private", "protocol", "public", "repeat", "rethrows", "return", "self", "static", "struct",
    "subscript", "super", "switch", "throw", "throws", "true", "try", "typealias", "var", "where", "while",
]

/// Whether the instances of a type may not be copyable: the run time finds no such type by name.
private func mayBeNoncopyable(_ type: TypeTree) -> Bool {
    guard #available(macOS 11, iOS 14, tvOS 14, watchOS 7, *), let name = type.mangledName else { return false }
    return _typeByName(name) == nil
}

/// Whether a type in a module has the name of the module: `App.Mailer` is then looked up in the type.
private func isShadowed(module name: String) -> Bool {
    guard #available(macOS 11, iOS 14, tvOS 14, watchOS 7, *) else { return false }
    let path = "\(name.utf8.count)\(name)"
    return ["V", "O", "C", "_p"].contains { _typeByName("\(path)\(path)\($0)") != nil }
}
