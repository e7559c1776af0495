import Hopoate
import HopoateTracing

#if canImport(InMemoryTracing)
    import InMemoryTracing

    let tracer = InMemoryTracer()
#else
    let tracer = 0
#endif

let container = DependencyContainer()
container.instrument(with: TracingInstrument(tracer: tracer))
container.register(Int.self, lifetime: .transient) { _ in 7 }
print(container.resolve(Int.self))

#if canImport(InMemoryTracing)
    for span in tracer.finishedSpans { print(span.operationName) }
#endif
