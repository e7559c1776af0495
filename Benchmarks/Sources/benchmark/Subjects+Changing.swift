import Hopoate

/// A form of Hopoate 1. Calls of a requirement have no warning in the Swift 6 language mode.
private protocol Hopoate1 {
    @discardableResult
    func register<Service>(
        service: Service.Type, cacheService: Bool, creator: @escaping () -> Service
    ) -> ServiceRegistration<Service>
}

extension DependencyContainer: Hopoate1 {}

extension Subjects {
    /// Services that are created by each resolve.
    static func made() -> [Subject] {
        Fillers.fill(.shared)
        let container = DependencyContainer.shared
        (container as any Hopoate1).register(service: (any Gauge).self, cacheService: false) { Thermometer(21) }
        container.register((any Gauge).self, named: .fresh, lifetime: .transient) { _ in Thermometer(21) }
        container.register((any Gauge).self) { (_, degrees: Int) in Thermometer(degrees) }
        container.register(makeSensor(20), for: (any Sensor).self)
        container.register(Thermometer(22), for: (any Probe).self)
        container.register(Thermometer(23), for: (any Trio).self)
        container.register(Laboratory.self, named: .fresh, lifetime: .transient) { container in
            try Laboratory(sensor: container(), probe: container(), trio: container())
        }
        container.register(Laboratory.self, lifetime: .transient, using: Laboratory.init)
        return [
            Subject(.initializer) { iterations in
                var sum = 0
                for _ in 0..<iterations { sum &+= makeGauge().reading() }
                return sum
            },
            Subject(.transient) { iterations in
                var sum = 0
                for _ in 0..<iterations { sum &+= resolve((any Gauge).self).reading() }
                return sum
            },
            Subject(.factory) { iterations in
                var sum = 0
                for _ in 0..<iterations { sum &+= resolve((any Gauge).self, named: .fresh).reading() }
                return sum
            },
            Subject(.argument) { iterations in
                var sum = 0
                for number in 0..<iterations { sum &+= resolve((any Gauge).self, arguments: number).reading() }
                return sum
            },
            Subject(.handwritten) { iterations in
                var sum = 0
                for _ in 0..<iterations { sum &+= resolve(Laboratory.self, named: .fresh).reading() }
                return sum
            },
            Subject(.constructor) { iterations in
                var sum = 0
                for _ in 0..<iterations { sum &+= resolve(Laboratory.self).reading() }
                return sum
            },
        ]
    }

    /// The minimum cost of a new instance: its initializer.
    @inline(never)
    private static func makeGauge() -> any Gauge { Thermometer(21) }

    /// Registrations and containers that come and go.
    static func changing() -> [Subject] {
        Fillers.fill(.shared)
        let sensor = makeSensor(20)
        let probe: any Probe = Thermometer(22)
        let application = requestsApplication(sensor)
        return [
            floor(sensor),
            independent(),
            .timingItself(.register) { iterations in
                let containers = (iterations + 99) / 100
                var nanoseconds: UInt64 = 0
                for _ in 0..<containers {
                    let container = DependencyContainer()
                    let start = System.nanoseconds()
                    Fillers.registerHundred(in: container, sensor)
                    nanoseconds += System.nanoseconds() - start
                }
                return nanoseconds * UInt64(iterations) / UInt64(containers * 100)
            },
            Subject(.cycle) { iterations in
                var sum = 0
                for _ in 0..<iterations {
                    let registration = DependencyContainer.shared.register(probe, for: (any Probe).self)
                    sum &+= resolve((any Probe).self).reading()
                    DependencyContainer.shared.remove(registration)
                }
                return sum
            },
            Subject(.child) { iterations in
                for _ in 0..<iterations { _ = DependencyContainer.shared.makeChild() }
                return 0
            },
            Subject(.childWithValue) { iterations in
                for _ in 0..<iterations { application.makeChild().register(probe, for: (any Probe).self) }
                return 0
            },
            Subject(.childWithScoped) { iterations in
                var sum = 0
                for _ in 0..<iterations { sum &+= application.makeChild().resolve((any Gauge).self).reading() }
                return sum
            },
            dictionaryScope(),
            scopes(.childWithFiveScoped, 5),
            scopes(.childWithTwentyScoped, 20),
            Subject(.scope) { iterations in
                var sum = 0
                for _ in 0..<iterations {
                    let degrees = try? application.withChildWithoutAwaitingHooks({ _ in }) {
                        $0.resolve((any Gauge).self).reading()
                    }
                    sum &+= degrees ?? 0
                }
                return sum
            },
            suspendingRequest(.requestSuspending, applicationWithoutScopedServices(sensor), probe),
            suspendingRequest(.requestSuspendingWithScoped, application, probe),
        ] + requests()
    }

    /// A request by a child container, by hand, and by dictionaries under locks.
    static func requests() -> [Subject] {
        let sensor = makeSensor(20)
        let probe: any Probe = Thermometer(22)
        let application = requestsApplication(sensor)
        return [
            Subject(.request) { iterations in
                var sum = 0
                for _ in 0..<iterations {
                    let request = application.makeChild()
                    request.register(probe, for: (any Probe).self)
                    sum &+= request.resolve(Laboratory.self).reading()
                }
                return sum
            },
            requestByHand(sensor, probe),
            requestByDictionary(sensor, probe),
        ]
    }

    /// An HTTP request as the integrations with servers run it: its controller needs a value of the request and two other services.
    private static func suspendingRequest(
        _ operation: Operation, _ application: DependencyContainer, _ probe: any Probe
    ) -> Subject {
        .suspending(operation) { iterations in
            var sum = 0
            for _ in 0..<iterations {
                let request = application.makeChild()
                request.register(probe, for: (any Probe).self)
                sum &+= (try? await request.asyncResolve(Laboratory.self))?.reading() ?? 0
            }
            return sum
        }
    }

    /// An application whose controllers need its own services, which exist, and a value of the request.
    private static func applicationWithoutScopedServices(_ sensor: any Sensor) -> DependencyContainer {
        let application = DependencyContainer()
        application.register(sensor, for: (any Sensor).self)
        application.register((any Trio).self) { _ in Thermometer(24) }
        application.register(Laboratory.self, lifetime: .transient, using: Laboratory.init)
        _ = application.resolve((any Trio).self)
        return application
    }

    /// The application of a server with a child container per HTTP request: a value of the request, a scoped service, and a
    /// controller that depends on both and on a service of the application.
    private static func requestsApplication(_ sensor: any Sensor) -> DependencyContainer {
        let application = DependencyContainer()
        application.register(sensor, for: (any Sensor).self)
        application.register((any Gauge).self, lifetime: .scoped) { _ in Thermometer(23) }
        application.register((any Trio).self, lifetime: .scoped) { container in
            Thermometer(container.resolve((any Probe).self).reading())
        }
        application.register(Laboratory.self, lifetime: .transient, using: Laboratory.init)
        return application
    }

    private static func dictionaryScope() -> Subject {
        let application = LockedDictionary()
        application.register({ _ in Thermometer(23) }, for: (@Sendable (DictionaryScope) -> any Gauge).self)
        return Subject(.dictionaryScope) { iterations in
            var sum = 0
            for _ in 0..<iterations { sum &+= DictionaryScope(application).resolve((any Gauge).self).reading() }
            return sum
        }
    }

    /// The request of `requestsApplication`, wired by hand.
    private static func requestByHand(_ sensor: any Sensor, _ probe: any Probe) -> Subject {
        Subject(.requestByHand) { iterations in
            var sum = 0
            for _ in 0..<iterations { sum &+= makeLaboratory(sensor, probe).reading() }
            return sum
        }
    }

    @inline(never)
    private static func makeLaboratory(_ sensor: any Sensor, _ probe: any Probe) -> Laboratory {
        Laboratory(sensor: sensor, probe: probe, trio: Thermometer(probe.reading()))
    }

    /// The request of `requestsApplication`, wired by dictionaries under locks.
    private static func requestByDictionary(_ sensor: any Sensor, _ probe: any Probe) -> Subject {
        let application = LockedDictionary()
        application.register(sensor, for: (any Sensor).self)
        application.register(
            { Thermometer($0.resolve((any Probe).self).reading()) }, for: (@Sendable (DictionaryScope) -> any Trio).self
        )
        application.register(
            {
                Laboratory(
                    sensor: $0.resolve((any Sensor).self), probe: $0.resolve((any Probe).self),
                    trio: $0.resolve((any Trio).self))
            }, for: (@Sendable (DictionaryScope) -> Laboratory).self)
        return Subject(.requestByDictionary) { iterations in
            var sum = 0
            for _ in 0..<iterations {
                let request = DictionaryScope(application)
                request.register(probe, for: (any Probe).self)
                sum &+= request.create(Laboratory.self).reading()
            }
            return sum
        }
    }

    /// The application of a server with many scoped services.
    private static func scopesApplication(_ count: Int) -> DependencyContainer {
        let application = DependencyContainer()
        for name in names.prefix(count) {
            application.register((any Gauge).self, named: name, lifetime: .scoped) { _ in Thermometer(25) }
        }
        return application
    }

    private static let names = (1...20).map { DependencyName("scoped \($0)") }

    /// A child that creates an instance of each scoped service.
    private static func scopes(_ operation: Operation, _ count: Int) -> Subject {
        let application = scopesApplication(count)
        return Subject(operation) { iterations in
            var sum = 0
            for _ in 0..<iterations {
                let child = application.makeChild()
                for name in names.prefix(count) { sum &+= child.resolve((any Gauge).self, named: name).reading() }
            }
            return sum
        }
    }

    /// A resolve, and the same while another thread registers and removes the same type continuously.
    static func churned() -> [Subject] {
        Fillers.fill(.shared)
        DependencyContainer.shared.register(Thermometer(22), for: (any Probe).self)
        let other: any Probe = Thermometer(23)
        let churn = Background {
            let registration = DependencyContainer.shared.register(other, for: (any Probe).self)
            DependencyContainer.shared.remove(registration)
        }
        return [Subject(.quiet, resolveProbes), Subject(.churned, meanwhile: churn, resolveProbes)]
    }

    private static func resolveProbes(_ iterations: Int) -> Int {
        var sum = 0
        for _ in 0..<iterations { sum &+= resolve((any Probe).self).reading() }
        return sum
    }
}
