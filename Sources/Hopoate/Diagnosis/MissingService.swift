// The message for a service without a registration, with the registrations that the caller may have meant.
//
// The clients of a server may be able to cause such an error with every HTTP request, for example with the name of a tenant. So the
// error keeps a bounded number of registrations, and the text is written when it is read.

/// A service without a registration, and a part of the registrations that exist.
struct MissingService: Sendable {
    let identity: ServiceIdentity
    /// The service of which a list needs a registration; nil if the missing service is no list.
    private let element: ServiceIdentity?
    let chain: [ServiceIdentity]
    private let isDefault: Bool
    private let here: Sample
    /// The default container, if the call did not search it.
    private let other: Other?
    /// The service that would keep the missing one, if it is created for all callers of the container that was asked.
    private let captor: Captor?

    private struct Captor: Sendable {
        let identity: ServiceIdentity
        /// The container that was asked. Only compared, as it may have ended.
        let container: ObjectIdentifier
    }

    fileprivate struct Other: Sendable {
        let hasService: Bool
        /// Whether the container that was asked overrides `shared`.
        let isReplaced: Bool
        let sample: Sample
    }

    @inline(never)
    init(_ identity: ServiceIdentity, of element: ServiceIdentity? = nil, in container: DependencyContainer) {
        self.identity = identity
        self.element = element
        chain = Creation.currentTrail + [identity]
        let process = DependencyContainer.process
        isDefault = container === process
        here = Sample(of: container, near: identity)
        other =
            isDefault || container.reaches(process)
            ? nil
            : Other(
                hasService: process.contains(identity), isReplaced: container === Override.bound,
                sample: Sample(of: process, near: identity))
        captor = OwningService.captor(ofScopedIn: container).map {
            Captor(identity: $0, container: ObjectIdentifier(container))
        }
    }

    /// The service to register.
    var needed: ServiceIdentity { element ?? identity }

    /// Returns the shared service that would keep the missing one, if the missing one is registered in a child.
    ///
    /// - Parameter child: The container of the outermost resolve call.
    func captor(for child: DependencyContainer) -> ServiceIdentity? {
        guard let captor, ObjectIdentifier(child) != captor.container, child.contains(needed),
            sequence(first: child, next: \.parent).contains(where: { ObjectIdentifier($0) == captor.container })
        else { return nil }
        return captor.identity
    }

    /// The failure and the remedy.
    func text(for action: DependencyError.Action) -> String {
        // Only a factory takes arguments.
        let remedy = chain.count > 1 ? identity.remedyIfArgument : ""
        if let element {
            return """
                the list would be empty, because no '\(element)' is registered. Register one, or resolve the list in a factory \
                closure with `resolveAll(\(TypeSpelling(element.type).expression))`.\(remedy)
                """
        }
        let place = isDefault ? " in the default container" : ""
        let call = identity.registrationExpression
        if case .decorate = action {
            return "no registration\(place). Register it with \(call) before you decorate it."
        }
        if case .borrowNoncopyable = action {
            let call = identity.instanceExpression(label: "noncopyable")
            return
                "no registration\(place). Register it before the first use with \(call), or use `withOptionalService`."
        }
        return
            "no registration\(place). Register it before the first use with \(call), or use `optionalResolve`.\(remedy)"
    }

    /// The registrations that the caller may have meant, each with its remedy.
    func hints(for action: DependencyError.Action) -> [String] {
        if element != nil { return [] }
        let wanted = Wanted(identity, action)
        var lines = here.hints(for: wanted, searched: true)
        if here.isEmpty { lines.append("This container has no registrations: make them before the first use.") }
        if let other { lines += other.hints(for: wanted) }
        if !here.isComplete { lines.append("Only the first \(Sample.limit) registrations were compared.") }
        return lines.map { "  " + $0 }
    }
}

extension MissingService.Other {
    fileprivate func hints(for wanted: Wanted) -> [String] {
        guard hasService else { return sample.hints(for: wanted, searched: false) }
        if isReplaced {
            return [
                """
                It is registered in the default container, but another container overrides `shared` here. Override `shared` \
                with a child of the default container (`makeChild()`).
                """
            ]
        }
        return [
            """
            It is registered in the default container (`DependencyContainer.shared`), which is not a parent of this container. \
            Resolve it from there, or make this container its child (`makeChild()`).
            """
        ]
    }
}

// MARK: - Registrations that the caller may have meant

/// A bounded number of the registrations of a container and its parents.
fileprivate struct Sample: Sendable {
    static let limit = 256

    private var entries: [Entry] = []
    private(set) var isComplete = true

    init(of container: DependencyContainer, near identity: ServiceIdentity) {
        var next: DependencyContainer? = container
        while let current = next {
            let (keys, isComplete) = current.registry.someRegisteredKeys(atMost: Self.limit - entries.count)
            // The registration keeps its name alive. It may have been removed meanwhile.
            for key in keys {
                if let registration = current.registry.newest(key) { entries.append(Entry(registration)) }
            }
            if !isComplete {
                self.isComplete = false
                // The registration without a name needs no search.
                let unnamed = AnyServiceKey(type: identity.key.type, discriminator: 0)
                if let registration = current.registry.newest(unnamed) { entries.append(Entry(registration)) }
            }
            next = current.parent
        }
    }

    var isEmpty: Bool { entries.isEmpty }

    /// The registrations that may have been meant, each with its remedy: the most likely first.
    func hints(for wanted: Wanted, searched isSearched: Bool) -> [String] {
        var related: [Relation: [Entry]] = [:]
        for entry in candidates {
            if let relation = wanted.relation(to: entry.identity) { related[relation, default: []].append(entry) }
        }
        var lines: [String] = []
        for relation in Relation.allCases where relation != .unknown {
            var entries = related[relation] ?? []
            if relation == .similar { entries.sort { wanted.distance(to: $0) < wanted.distance(to: $1) } }
            lines += entries.prefix(relation.limit).map { wanted.hint($0.clause(isSearched), $0.identity, relation) }
        }
        if let unknown = related[.unknown]?.sorted(by: { wanted.distance(to: $0) < wanted.distance(to: $1) }) {
            let list = unknown.prefix(Relation.unknown.limit).map(\.item).joined(separator: ", ")
            let place = isSearched ? "" : " in the default container, which was not searched"
            lines.append(
                """
                Other registered types\(place): \(list). If the instance of one of them can be used as \
                '\(typeLabel(wanted.identity.type))', register it with `for: \(wanted.expression)`, or resolve that type.
                """)
        }
        return lines
    }

    /// Each service once, without the library's own, in an order that does not depend on the hash table.
    private var candidates: [Entry] {
        var found: [AnyServiceKey: Entry] = [:]
        for entry in entries where found[entry.identity.key] == nil { found[entry.identity.key] = entry }
        return found.values.filter { !$0.identity.isOfLibrary }
            .map { (text: $0.identity.description, entry: $0) }.sorted { $0.text < $1.text }.map(\.entry)
    }
}

/// A registration, as an error keeps it.
private struct Entry: Sendable {
    let identity: ServiceIdentity
    private let callSite: CallSite?

    init(_ registration: AnyServiceRegistration) {
        identity = registration.identity
        callSite = registration.callSite?.ifKnown
    }

    /// The registration as a clause.
    func clause(_ isSearched: Bool) -> String {
        let place = callSite.map { " at \($0.place)" } ?? ""
        return
            "'\(identity)' is registered\(place)\(isSearched ? "" : " in the default container, which was not searched")"
    }

    /// The registration in a list.
    var item: String { "'\(identity)'" + (callSite.map { " (\($0.place))" } ?? "") }
}

/// The reason why a registration may have been meant, the most likely first.
private enum Relation: CaseIterable {
    /// The same type with another name or other arguments.
    case sameType
    /// The type is inside the optional that was asked for.
    case insideOptional
    /// The type is the element of the array that was asked for.
    case insideArray
    /// Its instance can be used as the type that was asked for.
    case usable
    /// Its instance may be of the type that was asked for.
    case holding
    /// Its name is similar.
    case similar
    /// Nothing is known.
    case unknown

    /// The number of registrations that a message names, at most.
    var limit: Int { self == .similar ? 3 : 8 }
}

/// The service that was asked for, compared with registrations.
private struct Wanted {
    let identity: ServiceIdentity
    private let action: DependencyError.Action
    private let form: Requirement?
    private let name: String
    let expression: String

    init(_ identity: ServiceIdentity, _ action: DependencyError.Action) {
        self.identity = identity
        self.action = action
        form = (identity.type as? any ParameterForm.Type)?.requirement
        name = baseName(identity.type)
        expression = TypeSpelling(identity.type).expression
    }

    func relation(to other: ServiceIdentity) -> Relation? {
        if other.type == identity.type { return .sameType }
        if let form, other == form.identity, form.kind != .later {
            return form.kind == .all ? .insideArray : .insideOptional
        }
        let usable = canBeUsed(other.type, as: identity.type)
        if usable == true { return .usable }
        let holding = canBeUsed(identity.type, as: other.type)
        if holding == true { return .holding }
        if usable == nil || holding == nil { return .unknown }
        return isSimilar(to: other) ? .similar : nil
    }

    /// A registration with its remedy.
    func hint(_ clause: String, _ other: ServiceIdentity, _ relation: Relation) -> String {
        let type = typeLabel(identity.type)
        let argument = TypeSpelling(other.type).expression
        return switch relation {
        case .sameType where action == .decorate: "\(clause). Decorate it with \(other.decorateExpression)."
        case .sameType: "\(clause). Resolve it with \(other.resolveExpression)."
        case .insideOptional: "\(clause). Resolve `\(argument)`, or use `optionalResolve(\(argument))`."
        case .insideArray: "\(clause). Resolve `\(argument)`, or use `resolveAll(\(argument))`."
        case .usable:
            "\(clause) and can be used as '\(type)'. Register it with `for: \(expression)`, or resolve `\(argument)`."
        case .holding:
            """
            \(clause), and its instance may be of type '\(type)'. Resolve `\(argument)`, or register it with \
            `for: \(expression)`.
            """
        case .similar where typeLabel(other.type) == type:
            "\(clause), but is another type. Check `Sendable`, which is not shown, and the declaration."
        case .similar, .unknown: "\(clause) and has a similar name. Check the type."
        }
    }

    private func isSimilar(to other: ServiceIdentity) -> Bool {
        let candidate = baseName(other.type)
        if name.isEmpty || candidate.isEmpty { return false }
        return range(of: name, in: candidate[...]) != nil || range(of: candidate, in: name[...]) != nil
            || editDistance(name, candidate) <= max(2, name.count / 4)
    }

    func distance(to entry: Entry) -> Int { editDistance(name, baseName(entry.identity.type)) }
}

// MARK: - Arguments that a factory takes for services

extension ServiceIdentity {
    /// The remedy if the service is rather an argument, such as a number, a text or a list of them; else empty. Begins with a space.
    var remedyIfArgument: String {
        guard name == nil, arguments == nil else { return "" }
        let service = (type as? any ParameterForm.Type)?.requirement.identity.type ?? type
        return service is any LosslessStringConvertible.Type ? " \(argumentRemedy(type))." : ""
    }
}

// MARK: - Expressions to type

extension ServiceIdentity {
    /// The call that would register an instance.
    fileprivate func instanceExpression(label: String? = nil) -> String {
        let name = name.map { ", named: \"\($0)\"" } ?? ""
        return "`register(\(label.map { "\($0): " } ?? "")…, for: \(TypeSpelling(type).expression)\(name))`"
    }

    /// The call that would register the service.
    fileprivate var registrationExpression: String {
        guard let arguments else { return instanceExpression() }
        let name = name.map { ", named: \"\($0)\"" } ?? ""
        let type = TypeSpelling(type).expression
        return "`register(\(type)\(name)) { (container, …) in … }` and a factory that takes \(arguments)"
    }

    /// The call that would resolve the service.
    fileprivate var resolveExpression: String {
        let name = name.map { ", named: \"\($0)\"" } ?? ""
        let type = TypeSpelling(type).expression
        guard let arguments else { return "`resolve(\(type)\(name))`" }
        return "`resolve(\(type)\(name), arguments: …)` and arguments of the types \(arguments)"
    }

    /// The call that would decorate the service.
    fileprivate var decorateExpression: String {
        let name = name.map { ", named: \"\($0)\"" } ?? ""
        let type = TypeSpelling(type).expression
        guard let arguments else { return "`decorate(\(type)\(name)) { … }`" }
        return "`decorate(\(type)\(name)) { … }` and a closure that also takes \(arguments)"
    }
}

// MARK: - The container

extension DependencyContainer {
    /// Whether a service is registered here or in a parent.
    func contains(_ identity: ServiceIdentity) -> Bool {
        isRegistered(identity.key)
    }

    /// Whether a container is this one or one of its parents.
    func reaches(_ container: DependencyContainer) -> Bool {
        self === container || parent?.reaches(container) ?? false
    }
}

// MARK: - Similar names

/// The name without module, outer types and arguments, in lower case.
private func baseName(_ type: any Any.Type) -> String {
    let name = typeLabel(type)
    let generic = name.firstIndex(of: "<") ?? name.endIndex
    let path = name[..<generic].split(separator: " ").last ?? ""
    return (path.split(separator: ".").last ?? "").filter { $0.isLetter || $0.isNumber || $0 == "_" }.lowercased()
}

/// The number of letters to change, add or remove (Levenshtein). Names are cut off at 64 letters.
private func editDistance(_ first: String, _ second: String) -> Int {
    let second = Array(second.prefix(64))
    var row = Array(0...second.count)
    for (index, letter) in first.prefix(64).enumerated() {
        var diagonal = row[0]
        row[0] = index + 1
        for column in second.indices {
            let substituted = diagonal + (letter == second[column] ? 0 : 1)
            diagonal = row[column + 1]
            row[column + 1] = min(substituted, row[column] + 1, diagonal + 1)
        }
    }
    return row[second.count]
}
