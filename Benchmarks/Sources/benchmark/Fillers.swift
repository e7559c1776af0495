import Hopoate

// Many distinct types as further registrations of a container.

/// A type per pair of types, of pairs of pairs and so on, like a number in digits.
struct Filler<High, Low>: Filling {
    let sensor: any Sensor

    init(_ sensor: any Sensor) { self.sensor = sensor }
}

/// Operations on a type that is known only at run time.
protocol Filling: Sendable {
    init(_ sensor: any Sensor)
    var sensor: any Sensor { get }
}

extension Filling {
    static func register(in container: DependencyContainer) { container.register(Self(sharedSensor), for: Self.self) }

    static func read(from container: DependencyContainer) -> Int { container.resolve(Self.self).sensor.reading() }
}

let sharedSensor = makeSensor(20)

private enum D0 {}
private enum D1 {}
private enum D2 {}
private enum D3 {}
private enum D4 {}
private enum D5 {}
private enum D6 {}
private enum D7 {}
private enum D8 {}
private enum D9 {}

enum Fillers {
    /// Returns `count` distinct types, built at run time. The first hundred are the types of `registerHundred`.
    static func types(_ count: Int) -> [any Filling.Type] {
        let digits: [any Any.Type] = [
            D0.self, D1.self, D2.self, D3.self, D4.self, D5.self, D6.self, D7.self, D8.self, D9.self,
        ]
        var types: [any Filling.Type] = []
        types.reserveCapacity(count)
        var highs = digits
        while true {
            let first = types.count
            for high in highs {
                for low in digits {
                    if types.count == count { return types }
                    types.append(type(high, low))
                }
            }
            highs = types[first...].map { $0 }
        }
    }

    /// Creates types and objects that nothing uses, so that all later ones have other addresses.
    static func shift(by count: Int) {
        guard count > 0 else { return }
        consume(types(100 + count).count)
        for number in 0..<count { _ = Unmanaged.passRetained(Thermometer(number)) }
    }

    /// Empties a container and registers a hundred other types in it.
    static func fill(_ container: DependencyContainer) {
        container.removeAll()
        for type in types(100) { type.register(in: container) }
    }

    private static func type<High, Low>(_: High.Type, _: Low.Type) -> any Filling.Type { Filler<High, Low>.self }

    /// Registers a hundred types that the compiler knows, as an application does.
    static func registerHundred(in container: DependencyContainer, _ sensor: any Sensor) {
        registerTen(D0.self, in: container, sensor)
        registerTen(D1.self, in: container, sensor)
        registerTen(D2.self, in: container, sensor)
        registerTen(D3.self, in: container, sensor)
        registerTen(D4.self, in: container, sensor)
        registerTen(D5.self, in: container, sensor)
        registerTen(D6.self, in: container, sensor)
        registerTen(D7.self, in: container, sensor)
        registerTen(D8.self, in: container, sensor)
        registerTen(D9.self, in: container, sensor)
    }

    @inline(__always)
    private static func registerTen<High>(_: High.Type, in container: DependencyContainer, _ sensor: any Sensor) {
        container.register(Filler<High, D0>(sensor), for: Filler<High, D0>.self)
        container.register(Filler<High, D1>(sensor), for: Filler<High, D1>.self)
        container.register(Filler<High, D2>(sensor), for: Filler<High, D2>.self)
        container.register(Filler<High, D3>(sensor), for: Filler<High, D3>.self)
        container.register(Filler<High, D4>(sensor), for: Filler<High, D4>.self)
        container.register(Filler<High, D5>(sensor), for: Filler<High, D5>.self)
        container.register(Filler<High, D6>(sensor), for: Filler<High, D6>.self)
        container.register(Filler<High, D7>(sensor), for: Filler<High, D7>.self)
        container.register(Filler<High, D8>(sensor), for: Filler<High, D8>.self)
        container.register(Filler<High, D9>(sensor), for: Filler<High, D9>.self)
    }

    /// Visits 300 types that the compiler knows.
    static func visitAll(_ visitor: inout some FillerVisitor) {
        visitHundred(D0.self, &visitor)
        visitHundred(D1.self, &visitor)
        visitHundred(D2.self, &visitor)
    }

    private static func visitHundred<Tag>(_: Tag.Type, _ visitor: inout some FillerVisitor) {
        visitTen(Filler<Tag, D0>.self, &visitor)
        visitTen(Filler<Tag, D1>.self, &visitor)
        visitTen(Filler<Tag, D2>.self, &visitor)
        visitTen(Filler<Tag, D3>.self, &visitor)
        visitTen(Filler<Tag, D4>.self, &visitor)
        visitTen(Filler<Tag, D5>.self, &visitor)
        visitTen(Filler<Tag, D6>.self, &visitor)
        visitTen(Filler<Tag, D7>.self, &visitor)
        visitTen(Filler<Tag, D8>.self, &visitor)
        visitTen(Filler<Tag, D9>.self, &visitor)
    }

    private static func visitTen<High>(_: High.Type, _ visitor: inout some FillerVisitor) {
        visitor.visit(Filler<High, D0>.self)
        visitor.visit(Filler<High, D1>.self)
        visitor.visit(Filler<High, D2>.self)
        visitor.visit(Filler<High, D3>.self)
        visitor.visit(Filler<High, D4>.self)
        visitor.visit(Filler<High, D5>.self)
        visitor.visit(Filler<High, D6>.self)
        visitor.visit(Filler<High, D7>.self)
        visitor.visit(Filler<High, D8>.self)
        visitor.visit(Filler<High, D9>.self)
    }
}

/// A generic operation on several types.
protocol FillerVisitor {
    mutating func visit<Service: Filling>(_ type: Service.Type)
}
