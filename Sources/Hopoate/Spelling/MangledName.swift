// Reads the mangled names of types.
//
// `String(reflecting:)` does not tell a protocol from another type, and writes some types as no source does. A mangled name has all
// parts. The ABI fixes its grammar (docs/ABI/Mangling.rst in the compiler's sources): an expression in postfix notation. Each operator
// takes its operands from a stack. Identifiers and types that occur again are substitutions, by their number.
//
// Only the operators that the run time writes for the type of a value are known. Every other name is unreadable, also one of a later
// compiler.

/// Reads one mangled name.
struct MangledName {
    private enum Node {
        case emptyList, firstElement, variadic
        case identifier(String)
        /// A type, a module or another context.
        case tree(TypeTree)
        /// The associated type `Self.name` of an existential type.
        case member(name: String, of: TypeTree)
        case requirement(TypeTree.Existential.Requirement)
        case inverse(String)
        case attribute((inout TypeTree.Function) -> Void)
    }

    /// A name that cannot be read.
    private struct Unreadable: Error {}

    private var input: MangledInput
    private var stack: [Node] = []
    private var substitutions: [Node] = []

    private init(_ name: String) {
        input = MangledInput(name)
    }

    /// Returns the type with a mangled name; nil if the name cannot be read.
    static func type(named name: String) -> TypeTree? {
        var reader = MangledName(name)
        return try? reader.read()
    }

    private mutating func read() throws -> TypeTree {
        while let letter = input.next() { try read(letter) }
        guard stack.count == 1, let type = popType() else { throw Unreadable() }
        return type
    }

    private mutating func push(_ type: TypeTree) { stack.append(.tree(type)) }

    /// Pushes a node that later operators may refer to by its number.
    private mutating func pushSubstitution(_ node: Node) {
        stack.append(node)
        substitutions.append(node)
    }

    private mutating func read(_ letter: Character) throws {
        switch letter {
        case "_": stack.append(.firstElement)
        case "y": stack.append(.emptyList)
        case "0"..."9":
            input.back()
            guard let identifier = input.identifier() else { throw Unreadable() }
            pushSubstitution(.identifier(identifier))
        case "A": try readSubstitutions()
        case "S": try readStandardType()
        case "s": push(.module("Swift"))
        case "V", "O", "C", "P", "a":
            guard let kind = TypeTree.Declaration.Kind(rawValue: letter) else { throw Unreadable() }
            let (name, context) = try popName()
            pushSubstitution(.tree(.declaration(.init(kind: kind, name: name, context: context))))
        case "E":
            guard case .module(let module) = try popContext() else { throw Unreadable() }
            push(.extended(try needType(), by: module))
        case "L": try readPrivateName()
        case "G": try readArguments()
        case "t": push(.tuple(try popElements()))
        case "d": stack.append(.variadic)
        case "z": push(.specified(.inout, try needType()))
        case "h": push(.specified(.shared, try needType()))
        case "n": push(.specified(.consuming, try needType()))
        case "c": try readFunction()
        case "K": addAttribute { $0.failure = .any }
        case "Y": try readAttribute()
        case "p": push(.existential(.init(protocols: try popProtocols())))
        case "m": push(.metatype(try needType()))
        case "X": try readExtendedOperator()
        case "Q":
            guard input.next() == "P" else { throw Unreadable() }
            push(.pack(try popTypes()))
        case "R": try readRequirement()
        case "$":
            let isNegative = input.skip("n")
            guard let value = input.index() else { throw Unreadable() }
            push(.integer(isNegative ? -value : value))
        default: throw Unreadable()
        }
    }

    // MARK: - Operands

    private mutating func popType() -> TypeTree? {
        guard case .tree(let type)? = stack.last, type.isType else { return nil }
        stack.removeLast()
        return type
    }

    private mutating func needType() throws -> TypeTree {
        guard let type = popType() else { throw Unreadable() }
        return type
    }

    private mutating func popIdentifier() -> String? {
        guard case .identifier(let identifier)? = stack.last else { return nil }
        stack.removeLast()
        return identifier
    }

    private mutating func popEmptyList() -> Bool {
        guard case .emptyList? = stack.last else { return false }
        stack.removeLast()
        return true
    }

    private mutating func popFirstElement() -> Bool {
        guard case .firstElement? = stack.last else { return false }
        stack.removeLast()
        return true
    }

    /// The module or type that contains a declaration. An identifier is the name of a module.
    private mutating func popContext() throws -> TypeTree {
        switch stack.popLast() {
        case .identifier(let module)?: return .module(module)
        case .tree(let context)?: return context
        default: throw Unreadable()
        }
    }

    /// The name of a declaration and its context.
    private mutating func popName() throws -> (String, TypeTree) {
        // The name of a private declaration is below the context that `readPrivateName` made of its discriminator.
        if case .tree(.unnamed(.tuple([]), let discriminator))? = stack.last {
            stack.removeLast()
            guard let name = popIdentifier() else { throw Unreadable() }
            return (name, .unnamed(in: try popContext(), discriminator: discriminator))
        }
        guard let name = popIdentifier() else { throw Unreadable() }
        return (name, try popContext())
    }

    /// The elements of a list that the operator ends; the first one is marked, and an empty list is a node of its own.
    private mutating func popList<Item>(_ pop: (inout Self) throws -> Item) throws -> [Item] {
        if popEmptyList() { return [] }
        var items: [Item] = []
        var isFirst = false
        while !isFirst {
            isFirst = popFirstElement()
            items.append(try pop(&self))
        }
        return items.reversed()
    }

    private mutating func popTypes() throws -> [TypeTree] { try popList { try $0.needType() } }

    private mutating func popProtocols() throws -> [TypeTree] {
        try popList { reader in
            if let type = reader.popType() { return type }
            let (name, context) = try reader.popName()
            return .declaration(.init(kind: .proto, name: name, context: context))
        }
    }

    private mutating func popElements() throws -> [TypeTree.Element] {
        try popList { reader in
            var isVariadic = false
            if case .variadic? = reader.stack.last {
                reader.stack.removeLast()
                isVariadic = true
            }
            let label = reader.popIdentifier()
            return TypeTree.Element(label: label, type: try reader.needType(), isVariadic: isVariadic)
        }
    }

    // MARK: - Declarations

    private mutating func readPrivateName() throws {
        guard input.next() == "L", let discriminator = popIdentifier() else { throw Unreadable() }
        push(.unnamed(in: .void, discriminator: discriminator))
    }

    private mutating func readArguments() throws {
        // The arguments of the outermost type come first. Each list ends at the next one, and the first list at a marker.
        var lists: [[TypeTree]] = []
        var isLast = false
        while !isLast {
            var list: [TypeTree] = []
            while let type = popType() { list.append(type) }
            lists.append(list.reversed())
            isLast = popEmptyList()
            if !isLast, !popFirstElement() { throw Unreadable() }
        }
        let generic = try needType()
        guard let bound = generic.binding(lists[...]) else { throw Unreadable() }
        pushSubstitution(.tree(bound))
    }

    private mutating func readStandardType() throws {
        if input.skip("o") || input.skip("C") { return push(.module("__C")) }
        if input.skip("g") {
            let wrapped = try needType()
            return pushSubstitution(.tree(.standard("Optional", .enumeration, [wrapped])))
        }
        let count = input.number() ?? 1
        let isConcurrency = input.skip("c")
        guard let letter = input.next(), count <= 2048,
            let type = TypeTree.standard(letter, isConcurrency: isConcurrency)
        else { throw Unreadable() }
        for _ in 0..<count { push(type) }
    }

    private mutating func readSubstitutions() throws {
        var count: Int?
        while let letter = input.next() {
            let index: Int
            switch letter {
            case "a"..."z": index = letter.distance(from: "a")
            case "A"..."Z": index = letter.distance(from: "A")
            // The number was not a count, but that of a substitution beyond the letters.
            case "_": index = (count ?? -1) + 27
            default:
                input.back()
                count = input.number()
                if count == nil { throw Unreadable() }
                continue
            }
            guard substitutions.indices.contains(index) else { throw Unreadable() }
            let repetitions = letter == "_" ? 1 : min(count ?? 1, 2048)
            for _ in 0..<repetitions { stack.append(substitutions[index]) }
            // After a small letter, more substitutions follow.
            guard letter.isLowercase else { return }
            count = nil
        }
        throw Unreadable()
    }

    // MARK: - Functions

    private mutating func addAttribute(_ attribute: @escaping (inout TypeTree.Function) -> Void) {
        stack.append(.attribute(attribute))
    }

    private mutating func readAttribute() throws {
        switch input.next() {
        case "a": addAttribute { $0.isAsynchronous = true }
        case "b": addAttribute { $0.isSendable = true }
        case "A": addAttribute { $0.isIsolatedToAnyActor = true }
        case "C": addAttribute { $0.runsOnTheCallersActor = true }
        case "T": addAttribute { $0.sendsItsResult = true }
        case "c":
            let actor = try needType()
            addAttribute { $0.globalActor = actor }
        case "K":
            let error = try needType()
            addAttribute { $0.failure = .typed(error) }
        case "i": push(.specified(.isolated, try needType()))
        case "u":
            // A value that is sent is consumed.
            var type = try needType()
            if case .specified(.consuming, let sent) = type { type = sent }
            push(.specified(.sending, type))
        default: throw Unreadable()
        }
    }

    private mutating func readFunction(
        _ convention: TypeTree.Function.Convention = .swift, isEscaping: Bool = true
    ) throws {
        var function = TypeTree.Function(convention: convention, isEscaping: isEscaping)
        while case .attribute(let apply)? = stack.last {
            stack.removeLast()
            apply(&function)
        }
        // The parameters are above the result. An empty list is no parameter, or no result.
        if !popEmptyList() {
            let type = try needType()
            if case .tuple(let elements) = type {
                function.parameters = elements
            } else {
                function.parameters = [.init(type: type)]
            }
        }
        if !popEmptyList() { function.result = try needType() }
        push(.function(function))
    }

    // MARK: - Protocols

    private mutating func readExtendedOperator() throws {
        switch input.next() {
        case "p": push(.existentialMetatype(try needType()))
        case "l": push(.existential(.init(protocols: try popProtocols(), isForObjects: true)))
        case "c":
            let superclass = try needType()
            push(.existential(.init(protocols: try popProtocols(), superclass: superclass)))
        case "P": try readConstraints()
        case "Z":
            let types = try popTypes()
            guard types.isEmpty, let discriminator = popIdentifier() else { throw Unreadable() }
            push(.unnamed(in: try popContext(), discriminator: discriminator))
        case "E": try readFunction(isEscaping: false)
        case "C": try readFunction(.c)
        case "B": try readFunction(.block)
        case "f": try readFunction(.thin)
        default: throw Unreadable()
        }
    }

    private mutating func readRequirement() throws {
        let operation = input.next()
        // All are requirements of the existential type itself, `s`.
        switch operation {
        case "t":
            guard input.skip("s") else { throw Unreadable() }
            let proto = try needType()
            guard let name = popIdentifier() else { throw Unreadable() }
            substitutions.append(.member(name: name, of: proto))
            stack.append(.requirement(.init(name: name, proto: proto, type: try needType())))
        case "S":
            guard case .member(let name, let proto)? = stack.popLast() else { throw Unreadable() }
            stack.append(.requirement(.init(name: name, proto: proto, type: try needType())))
        case "i":
            guard let index = input.index(), index < 2, input.skip("s") else { throw Unreadable() }
            stack.append(.inverse(index == 0 ? "Copyable" : "Escapable"))
        default: throw Unreadable()
        }
    }

    private mutating func readConstraints() throws {
        let constraints = try popList { reader in
            guard let constraint = reader.stack.popLast() else { throw Unreadable() }
            return constraint
        }
        guard case .existential(var existential) = try needType() else { throw Unreadable() }
        for constraint in constraints {
            switch constraint {
            case .requirement(let requirement): existential.requirements.append(requirement)
            case .inverse(let name): existential.inverses.append(name)
            default: throw Unreadable()
            }
        }
        push(.existential(existential))
    }
}

extension Character {
    /// The number of letters from another letter to this one.
    fileprivate func distance(from first: Character) -> Int { Int(asciiValue ?? 0) - Int(first.asciiValue ?? 0) }
}

extension TypeTree {
    /// The generic type with its arguments: those of the innermost declaration first. Nil if there are too many.
    fileprivate func binding(_ lists: ArraySlice<[TypeTree]>) -> TypeTree? {
        guard let arguments = lists.first else { return self }
        switch self {
        case .declaration(var declaration):
            declaration.arguments = arguments
            guard let context = declaration.context.binding(lists.dropFirst()) else { return nil }
            declaration.context = context
            return .declaration(declaration)
        case .extended(let type, let module):
            return type.binding(lists).map { .extended($0, by: module) }
        default: return nil
        }
    }
}
