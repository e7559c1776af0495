import Foundation
import Hopoate

extension DependencyName {
    static let outdoors: DependencyName = "outdoors"
    static let fresh: DependencyName = "fresh"
}

/// Gives each of concurrent loops a number of its own.
private final class Turns: @unchecked Sendable {
    // Unchecked, because the number is a variable. Sound, because it is used under the lock.
    private let lock = NSLock()
    private var last = 0

    func next() -> Int {
        lock.withLock {
            last = (last + 1) % 1_000
            return last
        }
    }
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
        container.register((any Trio).self) { _ in Thermometer(24) }
        container.decorate((any Trio).self) { inner, _ in Thermometer(inner.reading() + 1) }
        container.register(Laboratory.self) { container in
            await Task.yield()
            return try Laboratory(sensor: container(), probe: container(), trio: container())
        }
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
            .suspending(.asynchronousSingleton) { iterations in
                var sum = 0
                for _ in 0..<iterations {
                    let laboratory = try? await DependencyContainer.shared.asyncResolve(Laboratory.self)
                    sum &+= laboratory?.reading() ?? 0
                }
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
        ] + keyed(sensor)
    }

    /// Services with an instance per value.
    private static func keyed(_ sensor: any Sensor) -> [Subject] {
        let container = DependencyContainer()
        Fillers.fill(container)
        container.register((any Gauge).self, lifetime: .keyed) { (_, degrees: Int) in Thermometer(degrees) }
        container.register((any Gauge).self, lifetime: .keyed(limit: 1_000)) { (_, degrees: Int8) in
            Thermometer(Int(degrees))
        }
        container.register((any Gauge).self, lifetime: .keyed) { (_, degrees: Int, _: String) in Thermometer(degrees) }
        let dictionary = KeyedDictionary<any Gauge> { Thermometer($0) }
        let make = opaque { sensor }
        let value = Turns()
        return [
            independent(),
            Subject(.floor) { iterations in
                var sum = 0
                for _ in 0..<iterations { sum &+= make().reading() }
                return sum
            },
            Subject(.keyed) { iterations in
                var sum = 0
                for _ in 0..<iterations { sum &+= container.resolve((any Gauge).self, arguments: 7).reading() }
                return sum
            },
            Subject(.dictionaryKeyed) { iterations in
                var sum = 0
                for _ in 0..<iterations { sum &+= dictionary.resolve(7).reading() }
                return sum
            },
            Subject(.keyedApart) { iterations in
                let value = value.next()
                var sum = 0
                for _ in 0..<iterations { sum &+= container.resolve((any Gauge).self, arguments: value).reading() }
                return sum
            },
            Subject(.keyedLimited) { iterations in
                var sum = 0
                for _ in 0..<iterations { sum &+= container.resolve((any Gauge).self, arguments: Int8(7)).reading() }
                return sum
            },
            Subject(.keyedByText) { iterations in
                var sum = 0
                for _ in 0..<iterations {
                    sum &+= container.resolve((any Gauge).self, arguments: 7, "outdoors").reading()
                }
                return sum
            },
        ]
    }
}
