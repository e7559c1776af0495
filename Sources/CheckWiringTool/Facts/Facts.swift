/// A place in a source.
struct Place: Hashable, Comparable {
    let module: String
    let path: String
    let line: Int
    let column: Int

    /// The place as the run time knows it, such as `App/Main.swift:12`.
    var fileID: String { "\(module)/\(path.split(separator: "/").last ?? ""):\(line)" }

    static func < (left: Place, right: Place) -> Bool {
        (left.path, left.line, left.column) < (right.path, right.line, right.column)
    }
}

/// A type, as the demangler prints it.
struct ServiceType: Hashable {
    let text: String
    /// With `any` before a protocol.
    let shown: String
    /// The mangled name; nil for a part of another type.
    let mangled: String?
    /// Whether it depends on a generic parameter, so that the type is not known here.
    let isOpen: Bool

    static func == (left: ServiceType, right: ServiceType) -> Bool { left.text == right.text }
    func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

/// The name of a service.
enum ServiceName: Hashable {
    case none
    case text(String)
    /// A constant of another package. Its text is unknown.
    case constant(String)
    /// A name that the program computes.
    case open
}

/// The key of a service.
struct Key: Hashable {
    var type: ServiceType
    var name = ServiceName.none
    var arguments: [ServiceType] = []

    /// Whether the key depends on a generic parameter or on a computed name.
    var isOpen: Bool { type.isOpen || name == .open || arguments.contains(where: \.isOpen) }

    /// The key in messages.
    var shown: String {
        let arguments =
            arguments.isEmpty ? "" : " with the arguments (\(arguments.map(\.shown).joined(separator: ", ")))"
        return switch name {
        case .none: "'\(type.shown)'" + arguments
        case .text(let text): "'\(type.shown)' named \"\(text)\"" + arguments
        case .constant(let symbol): "'\(type.shown)' named '\(symbol)'" + arguments
        case .open: "'\(type.shown)' with a computed name" + arguments
        }
    }

    /// Whether a registration with this key may be the one that a need with another key finds.
    func maySatisfy(_ need: Key) -> Bool {
        (type == need.type || type.isOpen || need.type.isOpen)
            && (name == need.name || name == .open || need.name == .open || isConstant || need.isConstant)
            && (arguments == need.arguments || (arguments + need.arguments).contains(where: \.isOpen))
    }

    /// A constant may have any text.
    private var isConstant: Bool { if case .constant = name { true } else { false } }
}

/// A service that a factory or other code resolves.
struct Need {
    enum Kind: String, Encodable { case service, optional, list, lazy, provider }

    var key: Key
    var kind: Kind
    /// Whether the service may be created asynchronously.
    var isAsync: Bool
    /// Whether it is resolved after the factory has returned.
    var isLater: Bool
    var place: Place
    /// Whether it is a parameter of an initializer or of a closure. Then `literal` may be registered.
    var isParameter = false
    /// Another key that satisfies a parameter: its type as it is written, such as an optional.
    var literal: Key?
    /// Whether a list has the registrations with names, too.
    var takesAnyName = false
    /// The function or wrapper that resolves the service.
    let asker: String
}

/// The container of a call.
enum Container: Hashable {
    /// A child, as of `makeChild()`.
    case child
    /// The container that creates a service.
    case creating
    /// A container that `validate` fills for a check.
    case validation
    /// A parameter of a function.
    case parameter(function: String, index: Int)
    /// A variable, by its symbol, or by its name in a function.
    case variable(String)
    case unknown
}

/// An arm of a condition.
struct Branch: Hashable {
    let condition: Int
    let arm: Int
}

/// A call of a function of the package, or the creation of an instance.
struct Call {
    let function: String
    let containers: [Int: Container]
    let substitutions: [String: ServiceType]
    let branches: [Branch]
    let isLater: Bool
    let place: Place
}

/// Code that runs as a whole: a function, the properties of a type, the closure of a registration.
final class Body {
    let id: String
    var needs: [Need] = []
    var calls: [Call] = []

    init(_ id: String) {
        self.id = id
    }
}

final class Registration {
    enum Form { case factory, instance, initializer, forward, decorator, property }
    enum Lifetime: Equatable { case singleton, eager, scoped, transient, shared, unknown }

    var key: Key
    let form: Form
    var lifetime = Lifetime.singleton
    var isAsync = false
    /// Whether it replaces older registrations of its key.
    var isReplacing = false
    /// Whether it is written for that only, so that another one is expected.
    var mustReplace = false
    /// Whether it has a closure that runs after the creation, so that the creation itself has an effect.
    var hasCompletion = false
    /// Whether the call passes on the place of its caller, so that the run time knows another place.
    var hasPlaceOfCaller = false
    let place: Place
    let container: Container
    let branches: [Branch]
    /// The function that registers the service.
    let function: String
    /// The type of module that the function belongs to.
    let module: String?
    /// The code that creates the service.
    let body: Body

    init(
        _ key: Key, _ form: Form, place: Place, container: Container, branches: [Branch], function: String,
        module: String?
    ) {
        self.key = key
        self.form = form
        self.place = place
        self.container = container
        self.branches = branches
        self.function = function
        self.module = module
        body = Body("\(place.fileID):\(place.column)")
    }

    /// Returns the same registration for another key: that of a generic function for one of its calls.
    func with(_ key: Key) -> Registration {
        let copy = Registration(
            key, form, place: place, container: container, branches: branches, function: function, module: module)
        (copy.lifetime, copy.isAsync, copy.hasCompletion) = (lifetime, isAsync, hasCompletion)
        (copy.isReplacing, copy.mustReplace) = (isReplacing, mustReplace)
        copy.hasPlaceOfCaller = hasPlaceOfCaller
        copy.body.needs = body.needs
        copy.body.calls = body.calls
        return copy
    }

    /// Whether all callers share one instance until the registration ends.
    var isOneInstance: Bool { lifetime == .singleton || lifetime == .eager }

    /// The registration in messages.
    var shown: String { "\(key.shown), registered at \(place.fileID)" }
}

/// A type of `DependencyModule`.
struct ModuleType {
    let name: String
    let place: Place
}

/// Where an instance of a module is created.
struct ModuleUse {
    let function: String
    /// The module that lists it in `modules`.
    let outer: String?
    let container: Container
    let branches: [Branch]
}

/// Everything that the syntax trees of some modules say about the wiring.
struct Facts {
    var registrations: [Registration] = []
    var bodies: [String: Body] = [:]
    var modules: [ModuleType] = []
    var uses: [String: [ModuleUse]] = [:]
    var warmsUp = false
    /// The functions of Hopoate that the reader has found in calls.
    var readSymbols: Set<String> = []
    /// Calls of functions that a newer version of Hopoate has.
    var unknownCalls: [OpenFact] = []
}
