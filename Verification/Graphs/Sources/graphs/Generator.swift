extension Program {
    /// Makes the program of a seed.
    static func random(_ seed: UInt64) -> Program {
        var generator = Generator(random: Random(seed))
        return generator.program()
    }
}

/// Makes small programs in which lifetimes and containers meet often. Most of them can be resolved.
private struct Generator {
    var random: Random
    /// The number of types.
    private var types = 0
    /// Whether closures, completions and arguments occur, which validation does not see.
    private var isHidden = false
    private var hasNames = false

    init(random: Random) {
        self.random = random
    }

    mutating func program() -> Program {
        var program = Program()
        types = 3 + random.below(5)
        isHidden = random.happens(30)
        hasNames = random.happens(25)
        let isAsynchronous = random.happens(35)
        program.hasBase = random.happens(25)
        for type in 0..<types {
            if random.happens(95) { program.registrations.append(registration(of: type, isAsynchronous)) }
            if random.happens(12) { program.registrations.append(registration(of: type, isAsynchronous)) }
        }
        // A later registration shadows an earlier one of its container.
        for index in program.registrations.indices {
            program.registrations.swapAt(index, index + random.below(program.registrations.count - index))
        }
        program.roots = roots(of: program)
        let way = random.below(3)
        program.suspends = isAsynchronous ? [way != 0, true] : [way == 2, way != 0]
        program.bindsLocal = random.happens(30)
        program.overlaps = random.happens(50)
        program.shutsDown = random.happens(30)
        program.changesBetween = random.happens(30)
        program.hasAppCaller = random.happens(25)
        program.surroundings = surroundings()
        if case .factory = program.surroundings { program.suspends = [false, false] }
        program.schedule = random.next()
        program.normalize()
        return program
    }

    private mutating func surroundings() -> Surroundings {
        let life = random.pick([Life.transient, .graph, .scoped, .singleton])
        return random.pick([
            .none: 60, .bound: 12, .factory(life): 10, .suspendingFactory(life): 12, .task: 6,
        ])
    }

    private mutating func roots(of program: Program) -> [Key] {
        var roots: [Key] = []
        let keys = program.registrations.filter { !$0.takesArgument }.map(\.key)
        for _ in 0..<(1 + random.below(3)) {
            // Services with higher types depend on more of the others.
            let candidates = [0, 1].compactMap { _ in keys.isEmpty ? nil : random.pick(keys) }
            let key = candidates.max { $0.type < $1.type }
            let root = random.happens(97) ? key : Key(type: random.below(types))
            if let root, !roots.contains(root) { roots.append(root) }
        }
        return roots.isEmpty ? [Key(type: 0)] : roots
    }

    private mutating func registration(of type: Int, _ isAsynchronous: Bool) -> Registration {
        // The first types are mostly what a request brings.
        let isOfRequest = random.happens(type < 2 ? 60 : 8)
        var registration = Registration(
            key: Key(type: type), level: isOfRequest ? .request : random.pick([.base: 20, .app: 80]), life: life(),
            source: .initializer)
        if isOfRequest, random.happens(15) { registration.only = random.pick([.alice, .bob]) }
        if isOfRequest ? random.happens(60) : random.happens(8) { registration.source = .value }
        if random.happens(isHidden ? 50 : 0) { registration.source = .closure }
        if type > 0, random.happens(8) { registration.source = .alias(key(below: type)) }
        if hasNames, random.happens(30) { registration.key.name = random.below(names.count) }
        if random.happens(5) { registration.key.form = random.pick([.optional, .list]) }
        registration.isAsynchronous = isAsynchronous && random.happens(35)
        registration.takesArgument = isHidden && random.happens(25)
        registration.hasHook = random.happens(30)
        let count = random.pick([0: 22, 1: 38, 2: 27, 3: 13])
        registration.needs = (0..<count).map { _ in need(of: type) }
        if isHidden, random.happens(15) {
            registration.completion = (0...random.below(2)).map { _ in need(of: random.happens(50) ? types : type) }
        }
        registration.usesHandles = isHidden && random.happens(30)
        return registration
    }

    private mutating func life() -> Life {
        random.pick([
            .transient: 16, .graph: 24, .scoped: 16, .singleton: 20, .eager: 4, .weak: 6, .cached: 6, .keyed: 3,
            .keyedLimit: 3,
        ])
    }

    /// A service that most likely does not depend on a type.
    private mutating func key(below type: Int) -> Key {
        let isBackward = type > 0 && random.happens(93)
        var key = Key(type: isBackward ? random.below(type) : random.below(types))
        if hasNames, random.happens(30) { key.name = random.below(names.count) }
        return key
    }

    private mutating func need(of type: Int) -> Need {
        let key = key(below: min(type, types))
        let form = random.pick([Form.node: 55, .optional: 13, .list: 10, .lazy: 12, .provider: 10])
        var need = Need(form: form, type: key.type, name: key.name)
        if isHidden, random.happens(30) { need.argument = random.pick(Array(arguments)) }
        return need
    }
}
