/// Searches the wiring for mistakes.
struct Check {
    let wiring: Wiring
    private(set) var findings: [Finding] = []
    private(set) var openFacts: [OpenFact] = []
    private var askers: Askers
    /// The needs that only modules satisfy that nothing installs.
    private var neededModules: [String: [Need]] = [:]

    init(_ wiring: Wiring) {
        self.wiring = wiring
        askers = Askers(wiring)
    }

    mutating func run() {
        openFacts = wiring.facts.unknownCalls
        for need in wiring.roots { check(need, of: nil) }
        for registration in wiring.registrations + wiring.decorators {
            for need in registration.body.needs { check(need, of: registration) }
            if registration.key.isOpen {
                openFacts.append(
                    OpenFact(
                        place: registration.place,
                        message: "the registration of \(registration.key.shown) is not checked"))
            }
        }
        checkLifetimes()
        checkParameters()
        checkDuplicates()
        checkCycles()
        checkCaptives()
        guard wiring.isWhole else { return }
        checkDecorations()
        checkModules()
        checkUnused()
    }

    private mutating func add(
        _ kind: Finding.Kind, _ severity: Finding.Severity, _ place: Place, _ subject: String, _ message: String,
        askedBy registration: Registration? = nil
    ) {
        var finding = Finding(kind: kind, severity: severity, place: place, subject: subject, message: message)
        finding.chain = registration.map(askers.chain) ?? []
        if !findings.contains(where: { $0.identity == finding.identity && $0.place == place }) {
            findings.append(finding)
        }
    }

    // MARK: - Needs

    private mutating func check(_ need: Need, of registration: Registration?) {
        guard !need.key.isOpen else {
            openFacts.append(
                OpenFact(place: need.place, message: "`\(need.asker)` of \(need.key.shown) is not checked"))
            return
        }
        let candidates = wiring.candidates(need)
        let usable = candidates.filter { !wiring.isNeverInstalled($0) }
        if usable.isEmpty {
            if wiring.isWhole { addMissing(need, candidates, of: registration) }
        } else {
            checkAsync(need, usable, of: registration)
        }
    }

    private func subject(_ need: Need, _ registration: Registration?) -> String {
        (registration.map { "\($0.key.shown) -> " } ?? "") + need.key.shown
    }

    /// The beginning of a message about a need.
    private func introduction(_ need: Need, _ registration: Registration?) -> String {
        registration.map { "\($0.shown), needs \(need.key.shown)" } ?? "`\(need.asker)` needs \(need.key.shown)"
    }

    private mutating func addMissing(_ need: Need, _ candidates: [Registration], of registration: Registration?) {
        let start = introduction(need, registration)
        let isRequired = need.kind != .optional && (need.kind != .list || need.isParameter)
        let near = wiring.registrations(of: need.key.type).filter { !wiring.isNeverInstalled($0) }
        func add(_ kind: Finding.Kind, _ severity: Finding.Severity, _ text: String) {
            self.add(kind, severity, need.place, subject(need, registration), "\(start)\(text)", askedBy: registration)
        }
        // The finding about the module says so.
        if let module = candidates.first?.module { return neededModules[module, default: []].append(need) }
        let registered = near.map { "\($0.key.shown) at \($0.place.fileID)" }.joined(separator: ", ")
        if near.contains(where: { $0.key.name != need.key.name && $0.key.arguments == need.key.arguments }) {
            return add(
                .name, isRequired ? .error : .warning,
                ", and no registration has this name. Registered: \(registered). Correct the name.")
        }
        if !near.isEmpty {
            return add(
                .arguments, .error,
                ", and no registration takes these arguments. Registered: \(registered). Correct the arguments.")
        }
        switch need.kind {
        case .optional:
            add(
                .optional, .warning,
                " if it is registered, and nothing registers it.\(similar(need.key.type)) Register it, or remove the need."
            )
        case .list:
            add(
                need.isParameter ? .missing : .optional, need.isParameter ? .error : .warning,
                " as a list, and nothing registers one.\(similar(need.key.type)) Register one, or take an optional.")
        case .service, .lazy, .provider:
            add(
                .missing, .error,
                ", which is not registered.\(similar(need.key.type)) Register it, or make the dependency optional.")
        }
    }

    /// The registrations that may be meant instead.
    private func similar(_ type: ServiceType) -> String {
        let conforming = wiring.symbols.conformances[type.text] ?? []
        let similar = wiring.registrations.filter { other in
            let text = other.key.type.text
            return conforming.contains(text) || wiring.symbols.conformances[text]?.contains(type.text) == true
                || text == type.text + "?" || type.text == text + "?" || text == "[\(type.text)]"
        }
        return similar.sorted { $0.place < $1.place }.prefix(4).map { other in
            let remedy =
                conforming.contains(other.key.type.text)
                ? "and can be used as '\(type.shown)': register it as that, or add a `forward`"
                : "which is another type"
            return " \(other.key.shown) is registered at \(other.place.fileID), \(remedy)."
        }.joined()
    }

    private mutating func checkAsync(_ need: Need, _ candidates: [Registration], of registration: Registration?) {
        guard !need.isAsync, candidates.allSatisfy({ wiring.mustSuspend($0) }) else { return }
        add(
            .async, .error, need.place, subject(need, registration),
            """
            \(introduction(need, registration)), which has an asynchronous factory, or a parameter with one \
            (\(candidates[0].place.fileID)). Use `asyncResolve` and an asynchronous factory, or call `warmUp` before.
            """, askedBy: registration)
    }

    private mutating func checkParameters() {
        for registration in wiring.registrations where registration.form == .initializer {
            let parameters = registration.body.needs.filter { $0.isParameter && $0.kind == .service }
            for (key, same) in Dictionary(grouping: parameters, by: \.key) where same.count > 1 && key.name == .none {
                let named = wiring.registrations(of: key.type).filter { $0.key.name != .none }
                guard !named.isEmpty, wiring.registrations(of: key.type).contains(where: { $0.key.name == .none })
                else { continue }
                add(
                    .name, .warning, registration.place, registration.key.shown + " " + key.shown,
                    """
                    \(registration.shown), takes \(same.count) parameters \(key.shown), which get the same instance; registrations with \
                    names exist at \(named.map(\.place.fileID).joined(separator: ", ")). Name the parameters, or resolve them in a factory.
                    """)
            }
        }
    }

    // MARK: - Registrations

    /// Finds what `register` refuses at run time. A lifetime is a value, so the compiler cannot.
    private mutating func checkLifetimes() {
        for registration in wiring.registrations {
            let objection: String
            if registration.lifetime == .eager, registration.isAsync {
                objection =
                    "is eager, but its factory is asynchronous. Use the lifetime `.singleton`, and call `warmUp()`."
            } else if registration.isOneInstance, !registration.key.arguments.isEmpty {
                objection = """
                    takes arguments, but has one instance for all callers: the first caller's arguments would be reused. Use `.keyed` or \
                    `.transient`.
                    """
            } else {
                continue
            }
            add(
                .invalid, .error, registration.place, registration.key.shown, "\(registration.shown), \(objection)")
        }
    }

    private mutating func checkDuplicates() {
        let lists = Set(
            (wiring.roots + wiring.registrations.flatMap(\.body.needs)).filter { $0.kind == .list }.map(
                \.key.type))
        let groups = Dictionary(
            grouping: wiring.registrations.filter { !$0.key.isOpen && !lists.contains($0.key.type) }, by: \.key)
        for (key, group) in groups where group.count > 1 {
            var seen: [Wiring.Origin: Registration] = [:]
            for registration in group.sorted(by: { $0.place < $1.place }) where !wiring.isNeverInstalled(registration) {
                let origins = Set(wiring.origins(of: registration))
                guard let origin = knownOrigin(origins, of: registration) else { continue }
                if let first = seen[origin], !registration.isReplacing {
                    add(
                        .duplicate, .warning, registration.place, key.shown,
                        """
                        \(key.shown) is registered again; the registration at \(first.place.fileID) is shadowed. Remove one, or register \
                        with `replacing: true`.
                        """)
                } else {
                    seen[origin] = registration
                }
            }
        }
    }

    /// The one container of a registration, if it is known.
    private func knownOrigin(_ origins: Set<Wiring.Origin>, of registration: Registration) -> Wiring.Origin? {
        // A function without callers: its parameter is one container.
        if origins.isEmpty { return Wiring.Origin(container: registration.container, branches: registration.branches) }
        guard origins.count == 1, let origin = origins.first else { return nil }
        switch origin.container {
        case .parameter, .variable: return origin
        case .child, .creating, .validation, .unknown:
            // Which child it is, is not known, so only registrations of one function are compared.
            guard case .parameter = registration.container else { return nil }
            return Wiring.Origin(container: registration.container, branches: origin.branches)
        }
    }

    private mutating func checkDecorations() {
        for decorator in wiring.decorators where !decorator.key.isOpen {
            let need = Need(
                key: decorator.key, kind: .service, isAsync: true, isLater: false, place: decorator.place,
                asker: "decorate")
            guard wiring.candidates(need).filter({ !wiring.isNeverInstalled($0) }).isEmpty else { continue }
            add(
                .override, .error, decorator.place, decorator.key.shown,
                "\(decorator.key.shown) is decorated, and nothing registers it.\(similar(decorator.key.type)) Register it before."
            )
        }
        // A function with several calls replaces the registrations of its earlier calls.
        for registration in wiring.registrations
        where registration.mustReplace && !registration.key.isOpen && !wiring.hasSeveralCalls(registration.function) {
            let others = wiring.registrations.filter { $0 !== registration && $0.key.maySatisfy(registration.key) }
            guard others.isEmpty else { continue }
            add(
                .override, .warning, registration.place, registration.key.shown,
                """
                \(registration.key.shown) is registered with `replacing: true`, and no other registration has this key. Remove \
                `replacing:`, or register the service that it replaces.
                """)
        }
    }

    private mutating func checkModules() {
        for module in wiring.facts.modules where wiring.isNeverInstalled(module.name) {
            let needs = (neededModules[module.name] ?? []).sorted { $0.place < $1.place }
            let first = needs.first.map { ", which registers \($0.key.shown), needed at \($0.place.fileID)" } ?? ""
            let others = needs.count > 1 ? " (and \(needs.count - 1) more)" : ""
            add(
                .module, needs.isEmpty ? .warning : .error, module.place, module.name,
                "nothing installs the module '\(module.name)'\(first)\(others). Install it\(needs.isEmpty ? ", or remove it" : "")."
            )
        }
    }

    private mutating func checkUnused() {
        // An unknown type may be any.
        guard !wiring.roots.contains(where: \.key.type.isOpen) else { return }
        // The dependencies of a missing service are unknown, so they seem unused.
        guard neededModules.isEmpty, !findings.contains(where: { [.missing, .name, .arguments].contains($0.kind) })
        else { return }
        for registration in wiring.registrations
        where !askers.reaches(registration) && !wiring.isNeverInstalled(registration) {
            guard !registration.key.isOpen, !(wiring.facts.warmsUp && registration.hasCompletion) else { continue }
            add(
                .unused, .warning, registration.place, registration.key.shown,
                "nothing resolves \(registration.key.shown). Remove the registration, or name it as a root in `validate(roots:)`."
            )
        }
    }

    // MARK: - Paths

    private mutating func checkCycles() {
        var state: [ObjectIdentifier: Bool] = [:]
        var path: [Registration] = []
        var cycles: [[Registration]] = []
        func visit(_ registration: Registration) {
            state[ObjectIdentifier(registration)] = true
            path.append(registration)
            for next in wiring.certainDependencies(of: registration) {
                switch state[ObjectIdentifier(next)] {
                case nil: visit(next)
                case true: cycles.append(Array(path[path.firstIndex { $0 === next }!...]))
                default: break
                }
            }
            path.removeLast()
            state[ObjectIdentifier(registration)] = false
        }
        for registration in wiring.registrations where state[ObjectIdentifier(registration)] == nil {
            visit(registration)
        }
        for cycle in cycles {
            let first = cycle.min { $0.place < $1.place }!
            let names = (cycle + [cycle[0]]).map(\.key.shown).joined(separator: " → ")
            add(
                .circular, .error, first.place, cycle.map(\.key.shown).sorted().joined(separator: ", "),
                """
                \(first.shown), depends on itself: \(names). Let one service take a `LazyDependency` of the other, and resolve it after \
                the creation.
                """, askedBy: first)
        }
    }

    private mutating func checkCaptives() {
        for owner in wiring.registrations
        where (owner.isOneInstance || owner.lifetime == .shared) && owner.form != .instance && owner.form != .property
            && !wiring.isOnlyInChild(owner)
        {
            var seen: Set<ObjectIdentifier> = []
            visit(owner, [owner], &seen)
        }
    }

    private mutating func visit(
        _ registration: Registration, _ path: [Registration], _ seen: inout Set<ObjectIdentifier>
    ) {
        guard seen.insert(ObjectIdentifier(registration)).inserted else { return }
        let owner = path[0]
        for need in wiring.needs(of: registration) where !need.isLater && !need.key.isOpen {
            let candidates = wiring.candidates(need)
            let names = (path.map(\.key.shown) + [need.key.shown]).joined(separator: " → ")
            if !candidates.isEmpty, candidates.allSatisfy(wiring.isOnlyInChild) {
                add(
                    .captive, .warning, owner.place, "\(owner.key.shown) -> \(need.key.shown)",
                    """
                    \(owner.shown), is shared and needs \(need.key.shown), which is registered only in child containers: \(names). Make it \
                    scoped.
                    """, askedBy: owner)
            } else if candidates.count == 1, candidates[0].lifetime == .scoped {
                add(
                    .captive, .error, owner.place, "\(owner.key.shown) -> \(need.key.shown)",
                    """
                    \(owner.shown), is shared and would keep \(need.key.shown), which is scoped: \(names). Make it scoped, or let it take a \
                    `DependencyProvider`.
                    """, askedBy: owner)
            } else if candidates.count == 1, candidates[0].lifetime == .transient {
                visit(candidates[0], path + [candidates[0]], &seen)
            }
        }
    }
}
