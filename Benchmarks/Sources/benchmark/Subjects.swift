import Hopoate

// The operations as an application writes them. Each loop adds up values of the services, so each service is called through its
// protocol.

enum Subjects {
    /// Existing instances.
    static func kept() -> [Subject] {
        let sensor = makeSensor(20)
        Fillers.fill(.shared)
        DependencyContainer.shared.register(sensor, for: (any Sensor).self)
        for number in 1...3 { DependencyContainer.shared.register(Thermometer(number), for: (any Trio).self) }
        DependencyContainer.shared.register(makeScale(sensor), for: (any Scale).self)
        let own = DependencyContainer()
        Fillers.fill(own)
        own.register(sensor, for: (any Sensor).self)
        let child = DependencyContainer.shared.makeChild()
        let station = Station()
        return [
            floor(sensor),
            independent(),
            Subject(.resolve) { iterations in
                var sum = 0
                for _ in 0..<iterations { sum &+= resolve((any Sensor).self).reading() }
                return sum
            },
            Subject(.sharedResolve) { iterations in
                var sum = 0
                for _ in 0..<iterations { sum &+= DependencyContainer.shared.resolve((any Sensor).self).reading() }
                return sum
            },
            Subject(.withService) { iterations in
                var sum = 0
                for _ in 0..<iterations { sum &+= withService((any Sensor).self) { $0.reading() } }
                return sum
            },
            Subject(.withStructure) { iterations in
                var sum = 0
                for _ in 0..<iterations { sum &+= withService((any Scale).self) { $0.reading() } }
                return sum
            },
            Subject(.sharedWithService) { iterations in
                var sum = 0
                for _ in 0..<iterations {
                    sum &+= DependencyContainer.shared.withService((any Sensor).self) { $0.reading() }
                }
                return sum
            },
            Subject(.ownResolve) { iterations in
                var sum = 0
                for _ in 0..<iterations { sum &+= own.resolve((any Sensor).self).reading() }
                return sum
            },
            Subject(.ownWithService) { iterations in
                var sum = 0
                for _ in 0..<iterations { sum &+= own.withService((any Sensor).self) { $0.reading() } }
                return sum
            },
            Subject(.childResolve) { iterations in
                var sum = 0
                for _ in 0..<iterations { sum &+= child.resolve((any Sensor).self).reading() }
                return sum
            },
            Subject(.wrapper) { iterations in
                var sum = 0
                for _ in 0..<iterations { sum &+= station.sensor.reading() }
                return sum
            },
            Subject(.resolveAll) { iterations in
                var sum = 0
                for _ in 0..<iterations {
                    for trio in DependencyContainer.shared.resolveAll((any Trio).self) { sum &+= trio.reading() }
                }
                return sum
            },
        ] + standIns(sensor)
    }

    /// The minimum cost of returning an existing instance: one retain, one release and one method call.
    static func floor(_ sensor: any Sensor) -> Subject {
        let make = opaque { sensor }
        return Subject(.floor) { iterations in
            var sum = 0
            for _ in 0..<iterations { sum &+= make().reading() }
            return sum
        }
    }

    /// Threads that share nothing: the parallelism that the machine really provides.
    static func independent() -> Subject {
        let make = opaque { 20 }
        return Subject(.independent) { iterations in
            var sum = 0
            for _ in 0..<iterations { sum &+= make() }
            return sum
        }
    }

    private static func standIns(_ sensor: any Sensor) -> [Subject] {
        let dictionary = LockedDictionary()
        let list = SearchedList()
        // Half of the other types precede it in the list, as on average.
        for (index, type) in Fillers.types(100).enumerated() {
            if index == 50 { list.register(sensor, for: (any Sensor).self) }
            register(type, in: dictionary, list)
        }
        dictionary.register(sensor, for: (any Sensor).self)
        let lockedList = LockedList(list)
        return [
            Subject(.dictionary) { iterations in
                var sum = 0
                for _ in 0..<iterations { sum &+= dictionary.resolve((any Sensor).self).reading() }
                return sum
            },
            Subject(.list) { iterations in
                var sum = 0
                for _ in 0..<iterations { sum &+= list.resolve((any Sensor).self).reading() }
                return sum
            },
            Subject(.lockedList) { iterations in
                var sum = 0
                for _ in 0..<iterations { sum &+= lockedList.resolve((any Sensor).self).reading() }
                return sum
            },
        ]
    }

    private static func register<Type: Filling>(_: Type.Type, in dictionary: LockedDictionary, _ list: SearchedList) {
        dictionary.register(Type(sharedSensor), for: Type.self)
        list.register(Type(sharedSensor), for: Type.self)
    }
}

/// A structure with an injected property.
struct Station: Sendable {
    @Dependency var sensor: any Sensor
}
