// Makes a program smaller, so that a person can read it, as long as it has a finding of the same kind.

extension Program {
    /// Returns a smallest program with a finding of a kind.
    func shrunk(_ kind: Finding.Kind) -> Program {
        var smallest = self
        var isSmaller = true
        while isSmaller {
            isSmaller = false
            for var candidate in smallest.smaller() {
                candidate.normalize()
                guard candidate.size < smallest.size, Check(candidate).findings.contains(where: { $0.kind == kind })
                else {
                    continue
                }
                smallest = candidate
                isSmaller = true
                break
            }
        }
        return smallest
    }

    /// Falls with each simplification.
    var size: Int {
        var size = roots.count * 10
        for registration in registrations {
            size += 100 + 10 * (registration.needs.count + registration.completion.count)
            for need in registration.needs + registration.completion {
                size += (need.form == .node ? 0 : 1) + (need.name == nil ? 0 : 1) + (need.argument == nil ? 0 : 1)
            }
            if registration.isAsynchronous { size += 5 }
            if registration.hasHook { size += 5 }
            if registration.usesHandles { size += 5 }
            if registration.takesArgument { size += 5 }
            if registration.key.name != nil { size += 3 }
            if registration.key.form != .node { size += 3 }
            if registration.only != nil { size += 3 }
            if registration.level == .base { size += 2 }
            switch registration.source {
            case .value: break
            case .initializer: size += 2
            case .closure, .alias: size += 4
            }
            switch registration.life {
            case .eager: break
            case .transient: size += 1
            case .graph, .scoped, .singleton: size += 2
            case .weak, .cached, .keyed, .keyedLimit: size += 3
            }
        }
        size += suspends.count { $0 } * 5
        for isSet in [hasBase, bindsLocal, overlaps, shutsDown, changesBetween, hasAppCaller] where isSet { size += 5 }
        if surroundings != .none { size += 10 }
        if surroundings.life?.isShared == true || surroundings.life == .scoped { size += 1 }
        return size
    }

    private func smaller() -> [Program] {
        var candidates: [Program] = []
        func add(_ change: (inout Program) -> Void) {
            var candidate = self
            change(&candidate)
            candidates.append(candidate)
        }
        for index in registrations.indices { add { $0.registrations.remove(at: index) } }
        if roots.count > 1 { for index in roots.indices { add { $0.roots.remove(at: index) } } }
        add { $0.surroundings = .none }
        add { $0.hasAppCaller = false }
        add { $0.suspends = [false, false] }
        add { $0.bindsLocal = false }
        add { $0.changesBetween = false }
        add { $0.shutsDown = false }
        add { $0.overlaps = false }
        add { $0.hasBase = false }
        for index in registrations.indices {
            let registration = registrations[index]
            for position in registration.needs.indices {
                add { $0.registrations[index].needs.remove(at: position) }
                add { $0.registrations[index].needs[position].form = .node }
                add { $0.registrations[index].needs[position].argument = nil }
                add { $0.registrations[index].needs[position].name = nil }
            }
            for position in registration.completion.indices {
                add { $0.registrations[index].completion.remove(at: position) }
                add { $0.registrations[index].completion[position].form = .node }
            }
            add { $0.registrations[index].isAsynchronous = false }
            add { $0.registrations[index].hasHook = false }
            add { $0.registrations[index].usesHandles = false }
            add { $0.registrations[index].takesArgument = false }
            add { $0.registrations[index].only = nil }
            add { $0.registrations[index].key.form = .node }
            add { $0.registrations[index].level = .app }
            add { $0.registrations[index].source = .value }
            add { $0.registrations[index].source = .initializer }
            for life in [Life.transient, .singleton, .graph, .scoped] { add { $0.registrations[index].life = life } }
            if let name = registration.key.name {
                // Everywhere at once.
                add { program in
                    let old = Key(type: registration.key.type, name: name)
                    program.rename(old, to: Key(type: registration.key.type))
                }
            }
        }
        for life in [Life.transient, .singleton] {
            switch surroundings {
            case .factory: add { $0.surroundings = .factory(life) }
            case .suspendingFactory:
                add { $0.surroundings = .suspendingFactory(life) }
                add { $0.surroundings = .factory(life) }
            default: break
            }
        }
        return candidates
    }

    private mutating func rename(_ old: Key, to new: Key) {
        func renamed(_ key: Key) -> Key {
            key.type == old.type && key.name == old.name ? Key(type: new.type, form: key.form, name: new.name) : key
        }
        roots = roots.map(renamed)
        for index in registrations.indices {
            registrations[index].key = renamed(registrations[index].key)
            if case .alias(let target) = registrations[index].source {
                registrations[index].source = .alias(renamed(target))
            }
            for position in registrations[index].needs.indices
            where registrations[index].needs[position].type == old.type
                && registrations[index].needs[position].name == old.name
            {
                registrations[index].needs[position].name = new.name
            }
        }
    }
}
