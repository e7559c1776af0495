import Foundation

/// The facts of all modules, joined: which registrations a need may find.
struct Wiring {
    let facts: Facts
    let symbols: Symbols
    /// Whether the modules contain a program, so that no other module registers or resolves.
    let isWhole: Bool
    /// All registrations but decorators.
    private(set) var registrations: [Registration] = []
    private(set) var decorators: [Registration] = []
    /// The needs of code outside of factories.
    let roots: [Need]
    private var byType: [ServiceType: [Registration]] = [:]
    private var open: [Registration] = []
    private let callers: [String: [Call]]

    init(_ facts: Facts, _ symbols: Symbols, isWhole: Bool) {
        var facts = facts
        Self.instantiate(&facts)
        self.facts = facts
        self.symbols = symbols
        self.isWhole = isWhole
        let bodies = facts.bodies.values.sorted { $0.id < $1.id }
        callers = Dictionary(grouping: (bodies + facts.registrations.map(\.body)).flatMap(\.calls), by: \.function)
        roots = bodies.flatMap(\.needs)

        let real = facts.registrations.filter { !isOnly(.validation, $0) }
        decorators = real.filter { $0.form == .decorator }
        registrations = real.filter { $0.form != .decorator }
        byType = Dictionary(grouping: registrations.filter { !$0.key.type.isOpen }, by: \.key.type)
        // A generic function that nothing calls registers nothing.
        open = registrations.filter { $0.key.type.isOpen && !(isWhole && callers[$0.function] == nil) }
    }

    // MARK: - Candidates

    /// The registrations of a type, with any name and arguments.
    func registrations(of type: ServiceType) -> [Registration] { byType[type] ?? [] }

    /// The registrations that a need may find, those in children and in modules that are never installed included.
    func candidates(_ need: Need) -> [Registration] {
        if let literal = need.literal {
            let exact = candidates(literal)
            // A registration of an unknown type may be that of the literal type, or not.
            if exact.contains(where: { !$0.key.type.isOpen }) { return exact }
        }
        return need.takesAnyName ? registrations(of: need.key.type) : candidates(need.key)
    }

    private func candidates(_ key: Key) -> [Registration] {
        let pool = key.type.isOpen ? registrations : registrations(of: key.type) + open
        return pool.filter { $0.key.maySatisfy(key) }
    }

    // MARK: - Code that a factory runs

    /// The needs of the closure of a registration, and of the functions that it calls, also in its decorators.
    func needs(of registration: Registration) -> [Need] {
        needs(of: [registration.body] + decorators.filter { $0.key == registration.key }.map(\.body))
    }

    /// The needs of the closures of some registrations, and of the functions that they call.
    func needs(of bodies: [Body]) -> [Need] {
        var needs = bodies.flatMap(\.needs)
        var seen: Set<String> = []
        var pending = bodies.flatMap(\.calls).map { ($0.function, $0.isLater) }
        while let (function, isLater) = pending.popLast() {
            guard seen.insert("\(function) \(isLater)").inserted, let body = facts.bodies[function] else { continue }
            needs += body.needs.map { need in
                var need = need
                need.isLater = need.isLater || isLater
                return need
            }
            pending += body.calls.map { ($0.function, $0.isLater || isLater) }
        }
        return needs
    }

    /// Whether only `asyncResolve` creates the service: its factory is asynchronous, or that of a parameter.
    func mustSuspend(_ registration: Registration, depth: Int = 0) -> Bool {
        // `warmUp` creates the asynchronous singletons first.
        if registration.isAsync { return !(facts.warmsUp && registration.lifetime == .singleton) }
        guard [.initializer, .forward].contains(registration.form), depth < 32 else { return false }
        return registration.body.needs.contains { need in
            guard !need.isLater, need.isParameter || registration.form == .forward, need.kind == .service else {
                return false
            }
            let candidates = candidates(need)
            return !candidates.isEmpty && candidates.allSatisfy { mustSuspend($0, depth: depth + 1) }
        }
    }

    /// The registrations that the factory of another one certainly resolves, because nothing else satisfies its need.
    func certainDependencies(of registration: Registration) -> [Registration] {
        needs(of: registration).filter { !$0.isLater && !$0.key.isOpen }.flatMap { need in
            let candidates = candidates(need)
            return candidates.count == 1 || need.kind == .list ? candidates : []
        }
    }

    // MARK: - Containers

    /// The container of a registration, with the conditions on the way to it.
    struct Origin: Hashable {
        let container: Container
        let branches: [Branch]
    }

    /// The containers that a registration may be in: those that the callers of its function pass.
    func origins(of registration: Registration) -> [Origin] {
        var seen: Set<String> = []
        return origins(registration.container, registration.branches, &seen)
    }

    /// Whether several places of the code call a function.
    func hasSeveralCalls(_ function: String) -> Bool { callers[function].map { $0.count > 1 } ?? false }

    private func origins(_ container: Container, _ branches: [Branch], _ seen: inout Set<String>) -> [Origin] {
        guard case .parameter(let function, let index) = container else {
            return [Origin(container: container, branches: branches)]
        }
        guard seen.insert(function).inserted else { return [] }
        defer { seen.remove(function) }
        var origins: [Origin] = []
        if let module = installingModule(of: function) {
            for use in uses(of: module) { origins += self.origins(use.container, use.branches + branches, &seen) }
        }
        for caller in callers[function] ?? [] {
            origins += self.origins(caller.containers[index] ?? .unknown, caller.branches + branches, &seen)
        }
        return origins
    }

    /// The module that declares a function which `install` calls; nil for other functions.
    private func installingModule(of function: String) -> String? {
        let text = symbols.text(function)
        for name in [".register(in: ", ".didInstall(in: "] {
            guard let range = text.range(of: name) else { continue }
            let path = text[..<range.lowerBound].split(separator: ":").last ?? ""
            let module = String(path.prefix { $0 != "<" })
            if symbols.modules.contains(module) { return module }
        }
        return nil
    }

    /// Where a module is installed, directly or as part of other modules.
    private func uses(of module: String, depth: Int = 0) -> [ModuleUse] {
        (facts.uses[module] ?? []).flatMap { use -> [ModuleUse] in
            guard let outer = use.outer, depth < 16 else { return [use] }
            return uses(of: outer, depth: depth + 1).map {
                ModuleUse(
                    function: $0.function, outer: nil, container: $0.container, branches: $0.branches + use.branches)
            }
        }
    }

    /// Whether nothing creates the module that contains the registration.
    func isNeverInstalled(_ registration: Registration) -> Bool {
        registration.module.map(isNeverInstalled) ?? false
    }

    /// Whether nothing creates a module, or only modules that are never installed do.
    func isNeverInstalled(_ module: String) -> Bool { symbols.modules.contains(module) && uses(of: module).isEmpty }

    /// Whether the registration is only in child containers.
    func isOnlyInChild(_ registration: Registration) -> Bool { isOnly(.child, registration) }

    private func isOnly(_ container: Container, _ registration: Registration) -> Bool {
        let origins = origins(of: registration)
        return !origins.isEmpty && origins.allSatisfy { $0.container == container }
    }

    // MARK: - Generic functions

    /// Replaces the needs and registrations of generic functions by those of their calls, as far as the types are known there.
    private static func instantiate(_ facts: inout Facts) {
        // A generic function may call another one.
        for _ in 0..<4 {
            let callers = facts.bodies.values.sorted { $0.id < $1.id } + facts.registrations.map(\.body)
            let generic = Dictionary(grouping: facts.registrations.filter(\.key.isOpen), by: \.function)
            var solved: Set<String> = []
            for caller in callers {
                for call in caller.calls {
                    guard let callee = facts.bodies[call.function], callee !== caller else { continue }
                    for need in callee.needs where need.key.isOpen {
                        guard let key = need.key.replacing(call.substitutions) else { continue }
                        var need = need
                        (need.key, need.place) = (key, call.place)
                        need.isLater = need.isLater || call.isLater
                        caller.needs.append(need)
                        solved.insert(callee.id)
                    }
                    for registration in generic[call.function] ?? [] {
                        guard let key = registration.key.replacing(call.substitutions) else { continue }
                        facts.registrations.append(registration.with(key))
                        solved.insert(callee.id)
                    }
                }
            }
            if solved.isEmpty { return }
            for id in solved { facts.bodies[id]?.needs.removeAll(where: \.key.type.isOpen) }
            facts.registrations.removeAll { $0.key.type.isOpen && solved.contains($0.function) }
        }
    }
}

extension Key {
    /// The key with known types instead of generic parameters; nil if none is known.
    fileprivate func replacing(_ substitutions: [String: ServiceType]) -> Key? {
        var key = self
        var isChanged = false
        func replace(_ type: inout ServiceType) {
            guard type.isOpen, let known = substitutions[type.text] else { return }
            isChanged = isChanged || !known.isOpen
            type = known
        }
        replace(&key.type)
        for index in key.arguments.indices { replace(&key.arguments[index]) }
        return isChanged ? key : nil
    }
}
