// A program as a person reads it. The number at the beginning of a line is the line in the places of the library's messages.

extension Program: CustomStringConvertible {
    var description: String {
        var lines = ["let app = \(hasBase ? "base.makeChild()" : "DependencyContainer()")"]
        for level in Level.allCases {
            for (index, registration) in registrations.enumerated() where registration.level == level {
                lines.append("\(index + 1): \(registration)")
            }
        }
        var notes: [String] = []
        if bindsLocal { notes.append("each request binds a task-local") }
        if surroundings == .bound { notes.append("each request binds its container as `shared`") }
        if let life = surroundings.life {
            let kind = if case .factory = surroundings { "a factory" } else { "an asynchronous factory" }
            notes.append("all of it inside \(kind) with the lifetime \(life)")
        }
        if surroundings == .task { notes.append("all of it in a task of a factory that has returned") }
        notes.append(overlaps ? "the requests are open at once" : "one request ends before the next one begins")
        if shutsDown { notes.append("a request ends by shutdown()") }
        if changesBetween { notes.append("cached and keyed services end between two callers") }
        if hasAppCaller { notes.append("the app resolves the roots, too") }
        for caller in [Caller.alice, .bob] {
            let way = suspends[caller.rawValue] ? "await asyncResolve" : "require"
            lines.append("\(caller): \(roots.map { "\(way)(\($0.expression))" }.joined(separator: "; "))")
        }
        return (lines + notes.map { "// \($0)" }).joined(separator: "\n")
    }
}

private func nodeName(_ type: Int) -> String { "N\(type)" }
private func label(_ name: Int?) -> String { name.map { ", named: \"\(nameTexts[$0])\"" } ?? "" }

extension Key {
    var typeName: String {
        switch form {
        case .optional: "\(nodeName(type))?"
        case .list: "[\(nodeName(type))]"
        default: nodeName(type)
        }
    }

    var expression: String { "\(typeName).self\(label(name))" }
}

extension Need {
    var text: String {
        let node = nodeName(type)
        let parameter =
            switch form {
            case .node: node
            case .optional: "\(node)?"
            case .list: "[\(node)]"
            case .lazy: "LazyDependency<\(node)>"
            case .provider: "DependencyProvider<\(node)>"
            }
        return parameter + label(name) + (argument.map { ", arguments: \($0)" } ?? "")
    }
}

extension Registration: CustomStringConvertible {
    var description: String {
        let container = only.map { "\($0)" } ?? "\(level)"
        let parameters = needs.map(\.text).joined(separator: ", ")
        var options = ""
        if !completion.isEmpty { options += ", afterCreation: \(completion.map(\.text).joined(separator: ", "))" }
        if hasHook { options += ", onDispose: …" }
        if usesHandles { options += "  // uses its handles at once" }
        let start = "\(container).register(\(key.expression)"
        switch source {
        case .value: return "\(container).register(\(key.typeName)(), for: \(key.expression)\(options))"
        case .alias(let target): return "\(container).forward(\(key.expression), to: \(target.expression))"
        case .initializer:
            return
                "\(start), lifetime: .\(life), using: \(isAsynchronous ? "async " : "")init(\(parameters))\(options))"
        case .closure:
            let arguments = takesArgument ? "(c, value: Int)" : "c"
            return
                "\(start), lifetime: .\(life)) { \(arguments)\(isAsynchronous ? " async" : "") in \(key.typeName)(\(parameters)) }\(options)"
        }
    }
}
