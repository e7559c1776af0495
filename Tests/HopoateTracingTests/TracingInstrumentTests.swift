#if Tracing
    import Hopoate
    import HopoateTracing
    import InMemoryTracing
    import Testing
    import Tracing

    private final class Engine: Sendable {}
    private final class Wheel: Sendable {}
    private final class Car: Sendable {
        init(_ engine: Engine, _ wheel: Wheel) {}
    }
    private struct Refused: Error {}

    private let wheel = "create HopoateTracingTests.Wheel"
    private let engine = "create HopoateTracingTests.Engine"
    private let car = "create HopoateTracingTests.Car"

    /// Spans of an instrumented container.
    @Suite struct TracingInstrumentTests {
        private let container = DependencyContainer()
        private let tracer = InMemoryTracer()

        init() { container.instrument(with: TracingInstrument(tracer: tracer)) }

        /// Checks that a finished span is nested in another one.
        private func expectNesting(_ inner: String, inside outer: String?, of spans: [FinishedInMemorySpan]) throws {
            let span = try #require(spans.first { $0.operationName == inner })
            let parent = spans.first { $0.spanID == span.parentSpanID }
            #expect(parent?.operationName == outer)
            #expect(Set(spans.map(\.traceID)).count == 1)
        }

        @Test func creationIsASpanAndACachedResolveIsNone() throws {
            container.register(Engine.self) { _ in Engine() }
            #expect(tracer.finishedSpans.isEmpty)
            for _ in 0..<3 { _ = container.resolve(Engine.self) }
            #expect(tracer.finishedSpans.map(\.operationName) == [engine])
            #expect(tracer.activeSpans.isEmpty)
        }

        @Test func spanDescribesTheService() throws {
            container.register(Engine.self, named: "spare", lifetime: .transient) { (_, _: Int) in Engine() }
            _ = container.resolve(Engine.self, named: "spare", arguments: 7)
            let attributes = try #require(tracer.finishedSpans.first).attributes
            let place = "HopoateTracingTests/TracingInstrumentTests.swift:\(#line - 3)"
            #expect(attributes.get("hopoate.service") == .string("HopoateTracingTests.Engine"))
            #expect(attributes.get("hopoate.name") == .string("spare"))
            #expect(attributes.get("hopoate.arguments") == .string("(Swift.Int)"))
            #expect(attributes.get("hopoate.lifetime") == .string("transient"))
            #expect(attributes.get("hopoate.place") == .string(place))
        }

        @Test func spansOfNestedFactoriesAreChildren() throws {
            container.register(Engine.self) { _ in Engine() }
            container.register(Wheel.self, lifetime: .transient) { _ in Wheel() }
            container.register(Car.self) { container in Car(container.resolve(), container.resolve()) }
            tracer.withSpan("request") { _ in _ = container.resolve(Car.self) }
            let spans = tracer.finishedSpans
            #expect(spans.map(\.operationName) == [engine, wheel, car, "request"])
            try expectNesting(engine, inside: car, of: spans)
            try expectNesting(wheel, inside: car, of: spans)
            try expectNesting(car, inside: "request", of: spans)
            try expectNesting("request", inside: nil, of: spans)
        }

        @Test func spansOfSuspendingFactoriesAreNested() async throws {
            container.register(Wheel.self) { _ in Wheel() }
            container.register(Engine.self) { container in
                await Task.yield()
                _ = container.resolve(Wheel.self)
                return Engine()
            }
            container.register(Car.self) { container in
                let engine = try await container.asyncResolve(Engine.self)
                return Car(engine, container.resolve())
            }
            try await tracer.withSpan("request") { _ in _ = try await container.asyncResolve(Car.self) }
            let spans = tracer.finishedSpans
            #expect(spans.map(\.operationName) == [wheel, engine, car, "request"])
            try expectNesting(wheel, inside: engine, of: spans)
            try expectNesting(engine, inside: car, of: spans)
            try expectNesting(car, inside: "request", of: spans)
        }

        @Test func spanIsCurrentWhileTheFactoryRuns() {
            container.register(Engine.self) { [tracer] _ in
                tracer.withSpan("ignition") { _ in Engine() }
            }
            _ = container.resolve(Engine.self)
            let spans = tracer.finishedSpans
            #expect(spans.map(\.operationName) == ["ignition", engine])
            #expect(spans[0].parentSpanID == spans[1].spanID)
        }

        @Test func errorIsRecordedInEachEnclosingSpan() throws {
            container.register(Engine.self) { _ in throw Refused() }
            container.register(Car.self) { container in Car(try container.require(), Wheel()) }
            #expect(throws: DependencyError.self) { try container.require(Car.self) }
            let spans = tracer.finishedSpans
            #expect(spans.map(\.operationName) == [engine, car])
            for span in spans {
                #expect(span.errors.count == 1 && span.status?.code == .error)
            }
            #expect(spans[0].errors.first?.error is Refused)
        }

        @Test func errorOfASuspendingFactoryIsRecorded() async throws {
            container.register(Engine.self) { _ -> Engine in
                await Task.yield()
                throw Refused()
            }
            await #expect(throws: DependencyError.self) { try await container.asyncResolve(Engine.self) }
            let span = try #require(tracer.finishedSpans.first)
            #expect(span.errors.first?.error is Refused && span.status?.code == .error)
        }

        @Test func theCurrentTracerIsTheDefault() {
            let container = DependencyContainer()
            container.instrument(with: TracingInstrument())
            container.register(Engine.self, lifetime: .transient) { _ in Engine() }
            _ = container.resolve(Engine.self)
            #expect(tracer.finishedSpans.isEmpty)
            withTracer(tracer) { _ = container.resolve(Engine.self) }
            #expect(tracer.finishedSpans.map(\.operationName) == [engine])
        }

        @Test func filteredServicesAreNotTraced() {
            let container = DependencyContainer()
            container.instrument(with: TracingInstrument(tracer: tracer) { $0.service == Engine.self })
            container.register(Engine.self) { _ in Engine() }
            container.register(Wheel.self) { _ in Wheel() }
            _ = container.resolve(Engine.self)
            _ = container.resolve(Wheel.self)
            #expect(tracer.finishedSpans.map(\.operationName) == [engine])
        }

        @Test func creationOnAnActorStaysOnIt() async throws {
            await MainActor.run {
                container.register(Engine.self, lifetime: .transient) { _ in
                    MainActor.preconditionIsolated()
                    return Engine()
                }
                _ = container.resolve(Engine.self)
            }
            #expect(tracer.finishedSpans.count == 1)
        }

        @Test(arguments: [1, 2, 8])
        func everyTaskHasItsOwnTrace(tasks: Int) async throws {
            container.register(Wheel.self, lifetime: .transient) { _ in Wheel() }
            container.register(Engine.self, lifetime: .transient) { container in
                _ = container.resolve(Wheel.self)
                return Engine()
            }
            let rounds = 200
            await withTaskGroup(of: Void.self) { group in
                for task in 0..<tasks {
                    group.addTask {
                        for round in 0..<rounds {
                            tracer.withSpan("request \(task) \(round)") { _ in _ = container.resolve(Engine.self) }
                        }
                    }
                }
            }
            let traces = Dictionary(grouping: tracer.finishedSpans, by: \.traceID).values
            #expect(traces.count == tasks * rounds)
            #expect(traces.allSatisfy { $0.map(\.operationName).dropLast() == [wheel, engine] })
            #expect(tracer.activeSpans.isEmpty)
        }
    }
#endif
