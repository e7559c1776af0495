extension TypeTree {
    /// The mangled name of a declaration or of its context, for the run time to find; nil if it is generic or private.
    var mangledName: String? {
        switch self {
        case .module("Swift"): "s"
        case .module("__C"): "So"
        case .module(let name): mangledIdentifier(name)
        case .extended(let type, let module):
            type.mangledName.flatMap { type in mangledIdentifier(module).map { type + $0 + "E" } }
        case .declaration(let declaration) where declaration.arguments.isEmpty:
            declaration.context.mangledName.flatMap { context in
                mangledIdentifier(declaration.name).map { "\(context)\($0)\(declaration.kind.rawValue)" }
            }
        default: nil
        }
    }
}

/// A name in mangled names; nil if it has other letters than those of ASCII.
func mangledIdentifier(_ name: String) -> String? {
    name.utf8.allSatisfy { $0 < 0x80 } && !name.hasPrefix("`") ? "\(name.utf8.count)\(name)" : nil
}
