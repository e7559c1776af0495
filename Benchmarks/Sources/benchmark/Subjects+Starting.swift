import Hopoate

extension Subjects {
    /// What happens once in a program: the first resolve of a service, and the start.
    static func starting() -> [Subject] {
        let sensor = makeSensor(20)
        return requests() + [
            firstByContainer(sensor),
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
    private static func first<Made>(
        _ operation: Operation, _ make: @escaping @Sendable () -> Made,
        _ resolve: @escaping @Sendable (Made) -> Laboratory
    ) -> Subject {
        .timingItself(operation) { iterations in
            let containers = (0..<iterations).map { _ in make() }
            let start = System.nanoseconds()
            var sum = 0
            for container in containers { sum &+= resolve(container).reading() }
            let nanoseconds = System.nanoseconds() - start
            consume(sum)
            return nanoseconds
        }
    }

    private static func firstByContainer(_ sensor: any Sensor) -> Subject {
        first(.first) {
            let container = DependencyContainer()
            container.register(sensor, for: (any Sensor).self)
            container.register(Thermometer(22), for: (any Probe).self)
            container.register(Thermometer(24), for: (any Trio).self)
            container.register(Laboratory.self, using: Laboratory.init)
            return container
        } _: {
            $0.resolve(Laboratory.self)
        }
    }

    private static func firstByDictionary(_ sensor: any Sensor) -> Subject {
        first(.firstByDictionary) {
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
        } _: {
            $0.resolve(Laboratory.self)
        }
    }

    @inline(never)
    private static func makeLaboratory(_ sensor: any Sensor) -> Laboratory {
        Laboratory(sensor: sensor, probe: laboratoryProbe, trio: laboratoryTrio)
    }

    private static let laboratoryProbe: any Probe = Thermometer(22)
    private static let laboratoryTrio: any Trio = Thermometer(24)

    // MARK: Start

    private static func starting(_ operation: Operation, _ make: @escaping @Sendable () -> some Start) -> Subject {
        Subject(operation) { iterations in
            var sum = 0
            for _ in 0..<iterations {
                var registering = Registering(start: make())
                Fillers.visitAll(&registering)
                var creating = Creating(start: registering.start)
                Fillers.visitAll(&creating)
                sum &+= creating.sum
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

private struct Registering<Way: Start>: FillerVisitor {
    var start: Way

    mutating func visit<Service: Filling>(_ type: Service.Type) { start.register(type) }
}

private struct Creating<Way: Start>: FillerVisitor {
    var start: Way
    var sum = 0

    mutating func visit<Service: Filling>(_ type: Service.Type) { sum &+= start.create(type) }
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
