#if Metrics
    import CoreMetrics
    import Hopoate
    import HopoateMetrics
    import MetricsTestKit
    import Testing

    private final class Engine: Sendable {}
    private final class Wheel: Sendable {}
    private struct Refused: Error {}

    /// Metrics of an instrumented container. Each event is counted once.
    @Suite struct MetricsInstrumentTests {
        private let container = DependencyContainer()
        private let metrics = TestMetrics()

        init() { container.instrument(with: MetricsInstrument(factory: metrics)) }

        private func dimensions<Service>(
            of type: Service.Type, name: String = "", lifetime: String = "singleton", arguments: String = ""
        ) -> [(String, String)] {
            [("service", "HopoateMetricsTests.\(type)" + arguments), ("name", name), ("lifetime", lifetime)]
        }

        private func total(_ label: String, _ dimensions: [(String, String)]) -> Int64 {
            metrics.counterTotal(label: label, dimensions: dimensions)
        }

        @Test func resolvesAndCreationsAreCounted() throws {
            container.register(Engine.self) { _ in Engine() }
            container.register(Wheel.self, lifetime: .transient) { _ in Wheel() }
            for _ in 0..<5 {
                _ = container.resolve(Engine.self)
                _ = container.resolve(Wheel.self)
            }
            #expect(total("hopoate.resolves", dimensions(of: Engine.self)) == 5)
            #expect(total("hopoate.creations", dimensions(of: Engine.self)) == 1)
            #expect(total("hopoate.resolves", dimensions(of: Wheel.self, lifetime: "transient")) == 5)
            #expect(total("hopoate.creations", dimensions(of: Wheel.self, lifetime: "transient")) == 5)
            #expect(metrics.counterTotal(label: "hopoate.creation_failures") == 0)
        }

        @Test func creationIsTimed() async throws {
            container.register(Engine.self, lifetime: .transient) { _ in Engine() }
            container.register(Wheel.self) { _ in
                try await Task.sleep(nanoseconds: 2_000_000)
                return Wheel()
            }
            for _ in 0..<3 { _ = container.resolve(Engine.self) }
            _ = try await container.asyncResolve(Wheel.self)
            let timer = try metrics.expectTimer(
                "hopoate.creation_time", dimensions(of: Engine.self, lifetime: "transient"))
            #expect(timer.values.count == 3 && timer.values.allSatisfy { $0 >= 0 })
            let slow = try metrics.expectTimer("hopoate.creation_time", dimensions(of: Wheel.self))
            #expect(slow.values.count == 1 && slow.values.allSatisfy { $0 >= 2_000_000 })
        }

        @Test func failuresAreCountedInAdditionToCreations() async throws {
            container.register(Engine.self) { _ in throw Refused() }
            container.register(Wheel.self) { _ -> Wheel in
                await Task.yield()
                throw Refused()
            }
            for _ in 0..<3 { #expect(throws: DependencyError.self) { try container.require(Engine.self) } }
            await #expect(throws: DependencyError.self) { try await container.asyncResolve(Wheel.self) }
            #expect(total("hopoate.creation_failures", dimensions(of: Engine.self)) == 3)
            #expect(total("hopoate.creations", dimensions(of: Engine.self)) == 3)
            #expect(total("hopoate.creation_failures", dimensions(of: Wheel.self)) == 1)
            #expect(metrics.counterTotal(label: "hopoate.resolves") == 0)
            let timer = try metrics.expectTimer("hopoate.creation_time", dimensions(of: Engine.self))
            #expect(timer.values.count == 3)
        }

        @Test func namesAndArgumentsAreDimensions() {
            container.register(Engine(), for: Engine.self, named: "spare")
            container.register(Wheel.self, lifetime: .keyed) { (_, _: Int) in Wheel() }
            _ = container.resolve(Engine.self, named: "spare")
            for number in 0..<3 { _ = container.resolve(Wheel.self, arguments: number) }
            #expect(total("hopoate.resolves", dimensions(of: Engine.self, name: "spare", lifetime: "eager")) == 1)
            #expect(total("hopoate.creations", dimensions(of: Engine.self, name: "spare", lifetime: "eager")) == 0)
            let wheel = dimensions(of: Wheel.self, lifetime: "keyed", arguments: "(Swift.Int)")
            #expect(total("hopoate.creations", wheel) == 3)
        }

        @Test func equalRegistrationsShareTheirMetrics() {
            let factory = CountingFactory()
            let container = DependencyContainer()
            container.instrument(with: MetricsInstrument(factory: factory))
            for _ in 0..<100 {
                let request = container.makeChild()
                request.register(Engine.self) { _ in Engine() }
                request.register(Wheel.self, named: "front") { _ in Wheel() }
                _ = request.resolve(Engine.self)
            }
            #expect(factory.made.counterTotal(label: "counters") == 6)
            #expect(factory.made.counterTotal(label: "timers") == 2)
        }

        @Test(arguments: [1, 2, 8])
        func concurrentCountsAreNotLost(tasks: Int) async throws {
            let rounds = 300
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<tasks {
                    group.addTask {
                        for _ in 0..<rounds {
                            let request = container.makeChild()
                            request.register(Engine.self, lifetime: .transient) { _ in Engine() }
                            _ = request.resolve(Engine.self)
                            _ = request.resolve(Engine.self)
                        }
                    }
                }
            }
            let expected = Int64(tasks * rounds * 2)
            #expect(metrics.counterTotal(label: "hopoate.resolves") == expected)
            #expect(metrics.counterTotal(label: "hopoate.creations") == expected)
            #expect(metrics.counters(label: "hopoate.creations").count == 1)
        }

        @Test func filteredServicesAreNotCounted() {
            let container = DependencyContainer()
            container.instrument(with: MetricsInstrument(factory: metrics) { $0.service == Engine.self })
            container.register(Engine.self) { _ in Engine() }
            container.register(Wheel.self) { _ in Wheel() }
            _ = container.resolve(Engine.self)
            _ = container.resolve(Wheel.self)
            #expect(metrics.counters(label: "hopoate.resolves").count == 1)
        }

        @Test func theCurrentMetricsFactoryIsTheDefault() {
            let container = DependencyContainer()
            withMetricsFactory(metrics) { container.instrument(with: MetricsInstrument()) }
            container.register(Engine.self) { _ in Engine() }
            _ = container.resolve(Engine.self)
            #expect(metrics.counterTotal(label: "hopoate.resolves") == 1)
        }

        @Test func instrumentDoesNotRetainItsContainer() {
            let instrument = MetricsInstrument(factory: metrics)
            weak var engine: Engine?
            weak var container: DependencyContainer?
            do {
                let inner = DependencyContainer()
                inner.instrument(with: instrument)
                inner.register(Engine.self) { _ in Engine() }
                engine = inner.resolve(Engine.self)
                container = inner
                #expect(engine != nil)
            }
            #expect(engine == nil && container == nil)
        }
    }

    /// Counts the metrics that are created from it.
    private struct CountingFactory: MetricsFactory {
        let made = TestMetrics()

        func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
            Counter(label: "counters", factory: made).increment()
            return NOOPMetricsHandler.instance
        }

        func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
            Counter(label: "timers", factory: made).increment()
            return NOOPMetricsHandler.instance
        }

        func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
            NOOPMetricsHandler.instance
        }

        func destroyCounter(_ handler: any CounterHandler) {}
        func destroyRecorder(_ handler: any RecorderHandler) {}
        func destroyTimer(_ handler: any TimerHandler) {}
    }
#endif
