/// A type as messages show it: in full for readers, and as an expression for code.
struct TypeSpelling {
    private let type: any Any.Type
    private let tree: TypeTree?

    init(_ type: any Any.Type) {
        self.type = type
        tree = TypeTree(of: type)
    }

    /// The type in full: as Swift source, with `(function)` before a type inside a function.
    var label: String {
        guard let tree else {
            return isNamed(type) ? String(reflecting: type) : "a metatype of a protocol with arguments"
        }
        var writer = TypeWriter(isForCode: false)
        return writer.write(tree).text
    }

    /// An expression for the type: `(any App.Mailer).self`.
    ///
    /// It compiles where the type is visible. A type that has no notation in Swift, or whose notation is not known at run time, is a
    /// placeholder: `<#…#>`.
    ///
    /// The run time does not know `Sendable` and other protocols without witnesses. So the expression leaves them out.
    var expression: String {
        var writer = TypeWriter(isForCode: true)
        guard let code = tree.map({ writer.write($0) }), writer.isSource, !isNamedAsAnother else {
            return "<#\(label)#>"
        }
        // Between angle brackets, the compiler reads any type.
        if !code.isExpression { return "Swift.Array<\(code.text)>.Element.self" }
        return code.isCompound ? "(\(code.text)).self" : "\(code.text).self"
    }
}

extension TypeSpelling {
    /// Whether the name of the type is that of another one, as of a function with `@autoclosure`.
    private var isNamedAsAnother: Bool {
        guard #available(macOS 11, iOS 14, tvOS 14, watchOS 7, *),
            let found = _mangledTypeName(type).flatMap({ _typeByName($0) })
        else { return false }
        return found != type
    }
}

/// A type in full, for messages.
package func typeLabel(_ type: any Any.Type) -> String { TypeSpelling(type).label }

/// An expression for a type, for the code in messages.
package func typeExpression(_ type: any Any.Type) -> String { TypeSpelling(type).expression }

/// The types of arguments as a list in parentheses.
///
/// - Parameter pair: The first type, and the other type or a tuple of the others.
func argumentsLabel(ofPair pair: any Any.Type) -> String {
    guard case .tuple(let pair)? = TypeTree(of: pair), pair.count == 2 else { return "(\(typeLabel(pair)))" }
    var types = [pair[0]]
    if case .tuple(let others) = pair[1].type { types += others } else { types.append(pair[1]) }
    var writer = TypeWriter(isForCode: false)
    return "(" + types.map { writer.write($0.type).text }.joined(separator: ", ") + ")"
}

extension TypeTree {
    /// The tree of a type; nil if the run time does not name it, or names it in a way that is not known.
    init?(of type: any Any.Type) {
        guard #available(macOS 11, iOS 14, tvOS 14, watchOS 7, *), isNamed(type), let name = _mangledTypeName(type),
            let tree = MangledName.type(named: name)
        else { return nil }
        self = tree
    }
}

/// The kinds of metadata for the types of protocols (include/swift/ABI/MetadataKind.def in the compiler's sources).
enum ProtocolKind: UInt {
    case protocols = 0x303
    /// `any P<Argument>` and `any P & ~Copyable`, and the types of all types that conform to them.
    case protocolsWithArguments = 0x307
}

/// The kind of a type of protocols; nil for all other types.
func kind(of type: any Any.Type) -> ProtocolKind? { ProtocolKind(rawValue: metadata(of: type).load(as: UInt.self)) }

// A metatype is the address of the metadata, which begins with the kind.
private func metadata(of type: any Any.Type) -> UnsafeRawPointer { unsafeBitCast(type, to: UnsafeRawPointer.self) }

/// Whether the run time can name a type. It crashes when it names `any P<Argument>.Type`, also as a part of another type: of these, only
/// optionals and arrays are recognized.
private func isNamed(_ type: any Any.Type) -> Bool {
    // Most services are classes. The search for a conformance is slow in large programs.
    if type is AnyClass { return true }
    if let type = type as? any Wrapping.Type { return isNamed(type.wrapped) }
    guard kind(of: type) == .protocolsWithArguments else { return true }
    // After the kind, there is the address of the shape. It begins with flags, whose lowest byte is 2 for a metatype
    // (include/swift/ABI/MetadataValues.h in the compiler's sources).
    let shape = metadata(of: type).load(fromByteOffset: MemoryLayout<UInt>.size, as: UnsafeRawPointer.self)
    return shape.load(as: UInt32.self) & 0xFF != 2
}

/// A type with a type inside.
private protocol Wrapping {
    static var wrapped: any Any.Type { get }
}

extension Optional: Wrapping {
    fileprivate static var wrapped: any Any.Type { Wrapped.self }
}

extension Array: Wrapping {
    fileprivate static var wrapped: any Any.Type { Element.self }
}

/// Whether a type is that of a protocol, `any P` or `any P<Argument>`.
func isExistential(_ type: any Any.Type) -> Bool { kind(of: type) != nil }

/// How to declare a closure whose parameters are arguments. Without the container, they are services.
func argumentRemedy(_ type: (any Any.Type)?) -> String {
    "Begin the parameters of a closure that takes arguments with the container: `{ (_, value: \(type.map(typeLabel) ?? "Int")) in … }`"
}
