/// A type as the run time describes it: what its mangled name says.
indirect enum TypeTree: Equatable {
    /// A module: the outermost context of a declaration.
    case module(String)
    /// The context of a private declaration; two in a row are a function and the context of a declaration inside it.
    case unnamed(in: TypeTree, discriminator: String)
    /// A type, as the context of a declaration in one of its extensions.
    case extended(TypeTree, by: String)
    /// A structure, class, enumeration, protocol or imported type.
    case declaration(Declaration)
    case tuple([Element])
    case function(Function)
    case existential(Existential)
    /// The type of a type: `Int.Type`, `(any P).Type`.
    case metatype(TypeTree)
    /// The type of all types that conform: `any P.Type`.
    case existentialMetatype(TypeTree)
    /// The type of a parameter of a function, with a word before it.
    case specified(Specifier, TypeTree)
    /// The arguments for one parameter pack.
    case pack([TypeTree])
    /// An argument of a generic type that is a number.
    case integer(Int)

    struct Declaration: Equatable {
        /// The kinds of declarations, by their letter in mangled names.
        enum Kind: Character { case structure = "V", enumeration = "O", type = "C", proto = "P", alias = "a" }
        let kind: Kind
        let name: String
        var context: TypeTree
        /// Its own arguments, without those of its context.
        var arguments: [TypeTree] = []
    }

    /// An element of a tuple, or a parameter of a function.
    struct Element: Equatable {
        var label: String?
        let type: TypeTree
        var isVariadic = false
    }

    enum Specifier: String { case `inout`, consuming, isolated, sending, shared = "__shared" }

    struct Function: Equatable {
        /// The types that follow an attribute or an effect.
        enum Failure: Equatable { case none, any, typed(TypeTree) }
        enum Convention: String { case swift, c, block, thin }
        var parameters: [Element] = []
        var result = TypeTree.void
        var failure = Failure.none
        var isAsynchronous = false
        var isSendable = false
        var globalActor: TypeTree?
        var isIsolatedToAnyActor = false
        /// `nonisolated(nonsending)`
        var runsOnTheCallersActor = false
        var sendsItsResult = false
        var convention = Convention.swift
        /// False for the type of a parameter without `@escaping`.
        var isEscaping = true
    }

    /// `any P & Q`, with a superclass, arguments of the protocols, and `~Copyable`.
    struct Existential: Equatable {
        /// The types of associated types: `Element == Int`.
        struct Requirement: Equatable {
            let name: String
            /// The protocol that declares the associated type.
            let proto: TypeTree
            let type: TypeTree
        }
        var protocols: [TypeTree] = []
        var superclass: TypeTree?
        var isForObjects = false
        var requirements: [Requirement] = []
        /// `Copyable` and `Escapable`, if they are not required.
        var inverses: [String] = []
    }

    static var void: TypeTree { .tuple([]) }

    /// Whether this is a type, and not a module or a part of another type.
    var isType: Bool {
        switch self {
        case .module, .unnamed, .extended: false
        default: true
        }
    }
}
