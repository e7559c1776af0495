import Hopoate

extension Subjects {
    /// Containers with few and with many keys.
    static func crowded() -> [Subject] {
        let sizes: [(Int, Operation, Operation, Operation)] = [
            (10, .resolve10, .rotate10, .dictionary10), (100, .resolve100, .rotate100, .dictionary100),
            (1000, .resolve1000, .rotate1000, .dictionary1000),
            (10_000, .resolve10000, .rotate10000, .dictionary10000),
            (100_000, .resolve100000, .rotate100000, .dictionary100000),
        ]
        return sizes.flatMap { size, resolveOne, resolveAll, lookUp in
            let container = DependencyContainer()
            // Shuffled, so that the processor cannot predict the order.
            let types = shuffled(Fillers.types(size - 1))
            for type in types { type.register(in: container) }
            let sensor = makeSensor(20)
            container.register(sensor, for: (any Sensor).self)
            let dictionary = LockedDictionary()
            for type in types { register(type, in: dictionary) }
            dictionary.register(sensor, for: (any Sensor).self)
            return [
                Subject(resolveOne) { iterations in
                    var sum = 0
                    for _ in 0..<iterations { sum &+= container.resolve((any Sensor).self).reading() }
                    return sum
                },
                Subject(resolveAll) { iterations in
                    var sum = 0
                    var index = 0
                    for _ in 0..<iterations {
                        sum &+= types[index].read(from: container)
                        index = index + 1 == types.count ? 0 : index + 1
                    }
                    return sum
                },
                Subject(lookUp) { iterations in
                    var sum = 0
                    for _ in 0..<iterations { sum &+= dictionary.resolve((any Sensor).self).reading() }
                    return sum
                },
            ]
        }
    }

    private static func register<Type: Filling>(_: Type.Type, in dictionary: LockedDictionary) {
        dictionary.register(Type(sharedSensor), for: Type.self)
    }

    private static func shuffled(_ types: [any Filling.Type]) -> [any Filling.Type] {
        var types = types
        var generator = Linear(state: 1)
        types.shuffle(using: &generator)
        return types
    }

    /// A fixed sequence, so that runs are comparable.
    private struct Linear: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ (state >> 32)
        }
    }

    /// Tasks that override the shared container. One of them never ends, so from here on every access reads a task-local value.
    /// Therefore this group is measured last.
    static func overridden() -> [Subject] {
        let sensor = makeSensor(20)
        Fillers.fill(.shared)
        DependencyContainer.shared.register(sensor, for: (any Sensor).self)
        let own = DependencyContainer()
        Fillers.fill(own)
        own.register(sensor, for: (any Sensor).self)
        DependencyContainer.$shared.withValue(own) {
            // A stream without elements ends when it is deallocated, and this one is not.
            _ = Task { for await _ in endless.stream {} }
        }
        return [
            floor(sensor),
            Subject(.afterOverride, resolveSensors),
            Subject(.sharedAfterOverride, resolveSharedSensors),
            Subject(.overridden) { iterations in
                DependencyContainer.$shared.withValue(own) { resolveSensors(iterations) }
            },
            Subject(.sharedOverridden) { iterations in
                DependencyContainer.$shared.withValue(own) { resolveSharedSensors(iterations) }
            },
        ]
    }

    private static let endless = AsyncStream<Never>.makeStream()

    private static func resolveSensors(_ iterations: Int) -> Int {
        var sum = 0
        for _ in 0..<iterations { sum &+= resolve((any Sensor).self).reading() }
        return sum
    }

    private static func resolveSharedSensors(_ iterations: Int) -> Int {
        var sum = 0
        for _ in 0..<iterations { sum &+= DependencyContainer.shared.resolve((any Sensor).self).reading() }
        return sum
    }
}
