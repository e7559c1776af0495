import Hopoate

extension DependencyName {
    static let outdoors: DependencyName = "outdoors"
    static let fresh: DependencyName = "fresh"
}

extension Subjects {
    /// Existing instances with other lifetimes or under names.
    static func lasting() -> [Subject] {
        let sensor = makeSensor(20)
        let container = DependencyContainer.shared
        Fillers.fill(container)
        container.register(sensor, for: (any Sensor).self)
        container.register((any Probe).self) { _ in Thermometer(22) }
        container.register((any Sensor).self, named: .outdoors, lifetime: .eager) { _ in sensor }
        container.register((any Gauge).self, lifetime: .scoped) { _ in Thermometer(23) }
        container.register((any Gauge).self, lifetime: .keyed) { (_, degrees: Int) in Thermometer(degrees) }
        container.register((any Trio).self) { _ in Thermometer(24) }
        container.decorate((any Trio).self) { inner, _ in Thermometer(inner.reading() + 1) }
        let child = container.makeChild()
        return [
            Subject(.resolve) { iterations in
                var sum = 0
                for _ in 0..<iterations { sum &+= resolve((any Sensor).self).reading() }
                return sum
            },
            Subject(.singleton) { iterations in
                var sum = 0
                for _ in 0..<iterations { sum &+= resolve((any Probe).self).reading() }
                return sum
            },
            Subject(.singletonWithService) { iterations in
                var sum = 0
                for _ in 0..<iterations { sum &+= withService((any Probe).self) { $0.reading() } }
                return sum
            },
            Subject(.named) { iterations in
                var sum = 0
                for _ in 0..<iterations { sum &+= resolve((any Sensor).self, named: .outdoors).reading() }
                return sum
            },
            Subject(.namedLiteral) { iterations in
                var sum = 0
                for _ in 0..<iterations { sum &+= resolve((any Sensor).self, named: "outdoors").reading() }
                return sum
            },
            Subject(.decorated) { iterations in
                var sum = 0
                for _ in 0..<iterations { sum &+= resolve((any Trio).self).reading() }
                return sum
            },
            Subject(.scoped) { iterations in
                var sum = 0
                for _ in 0..<iterations { sum &+= child.resolve((any Gauge).self).reading() }
                return sum
            },
            Subject(.keyed) { iterations in
                var sum = 0
                for _ in 0..<iterations { sum &+= resolve((any Gauge).self, arguments: 7).reading() }
                return sum
            },
        ]
    }
}
