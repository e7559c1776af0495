import Hopoate

extension Subjects {
    /// What happens once in a program: the first resolve of a service, and the start.
    static func starting() -> [Subject] {
        let sensor = makeSensor(20)
        return requests() + [
            first(sensor),
            Subject(.firstByHand) { iterations in
                var sum = 0
                for _ in 0..<iterations { sum &+= makeLaboratory(sensor).reading() }
                return sum
            },
            firstByDictionary(sensor),
            starting(.start) { ContainerStart(sensor) },
            starting(.startByHand) { HandStart(sensor) },
            starting(.startByDictionary) { DictionaryStart(sensor) },
        ]
    }

    // MARK: First resolve

    /// The containers are made and dropped outside of the time.
    private static func first(_ sensor: any Sensor) -> Subject {
        .timingItself(.first) { iterations in
            let containers = (0..<iterations).map { _ in
                let container = DependencyContainer()
                container.register(sensor, for: (any Sensor).self)
                container.register(Thermometer(22), for: (any Probe).self)
                container.register(Thermometer(24), for: (any Trio).self)
                container.register(Laboratory.self, using: Laboratory.init)
                return container
            }
            let start = System.nanoseconds()
            var sum = 0
            for container in containers { sum &+= container.resolve(Laboratory.self).reading() }
            let nanoseconds = System.nanoseconds() - start
            consume(sum)
            return nanoseconds
        }
    }

    @inline(never)
    private static func makeLaboratory(_ sensor: any Sensor) -> Laboratory {
        Laboratory(sensor: sensor, probe: laboratoryProbe, trio: laboratoryTrio)
    }

    private static let laboratoryProbe: any Probe = Thermometer(22)
    private static let laboratoryTrio: any Trio = Thermometer(24)

    private static func firstByDictionary(_ sensor: any Sensor) -> Subject {
        .timingItself(.firstByDictionary) { iterations in
            let scopes = (0..<iterations).map { _ in
                let application = LockedDictionary()
                application.register(sensor, for: (any Sensor).self)
                application.register(Thermometer(22), for: (any Probe).self)
                application.register(Thermometer(24), for: (any Trio).self)
                application.register(
                    {
                        Laboratory(
                            sensor: $0.resolve((any Sensor).self), probe: $0.resolve((any Probe).self),
                            trio: $0.resolve((any Trio).self))
                    }, for: (@Sendable (DictionaryScope) -> Laboratory).self)
                return DictionaryScope(application)
            }
            let start = System.nanoseconds()
            var sum = 0
            for scope in scopes { sum &+= scope.resolve(Laboratory.self).reading() }
            let nanoseconds = System.nanoseconds() - start
            consume(sum)
            return nanoseconds
        }
    }

    // MARK: Start

    private static func starting(_ operation: Operation, _ make: @escaping @Sendable () -> some Start) -> Subject {
        Subject(operation) { iterations in
            var sum = 0
            for _ in 0..<iterations {
                var start = make()
                Fillers.registerAll(in: &start)
                sum &+= Fillers.createAll(in: &start)
            }
            return sum
        }
    }
}

/// The start of a program with services that each need a sensor.
protocol Start: Sendable {
    mutating func register<Service: Filling>(_ type: Service.Type)
    /// Creates a service, and returns its reading.
    mutating func create<Service: Filling>(_ type: Service.Type) -> Int
}

private struct ContainerStart: Start {
    let container = DependencyContainer()

    init(_ sensor: any Sensor) { container.register(sensor, for: (any Sensor).self) }

    func register<Service: Filling>(_ type: Service.Type) {
        container.register(type) { (sensor: any Sensor) in Service(sensor) }
    }

    func create<Service: Filling>(_ type: Service.Type) -> Int { container.resolve(type).sensor.reading() }
}

private struct HandStart: Start {
    let sensor: any Sensor
    var services: [any Filling] = []

    init(_ sensor: any Sensor) { self.sensor = sensor }

    func register<Service: Filling>(_ type: Service.Type) {}

    mutating func create<Service: Filling>(_ type: Service.Type) -> Int {
        let service = Service(sensor)
        services.append(service)
        return service.sensor.reading()
    }
}

private struct DictionaryStart: Start {
    let application = LockedDictionary()
    let services: DictionaryScope

    init(_ sensor: any Sensor) {
        application.register(sensor, for: (any Sensor).self)
        services = DictionaryScope(application)
    }

    func register<Service: Filling>(_ type: Service.Type) {
        application.register(
            { Service($0.resolve((any Sensor).self)) }, for: (@Sendable (DictionaryScope) -> Service).self)
    }

    func create<Service: Filling>(_ type: Service.Type) -> Int { services.resolve(type).sensor.reading() }
}
