import Hopoate
import HopoateMetrics

#if canImport(MetricsTestKit)
    import MetricsTestKit

    let metrics = TestMetrics()
#else
    let metrics = 0
#endif

let container = DependencyContainer()
container.instrument(with: MetricsInstrument(factory: metrics))
container.register(7, for: Int.self)
print(container.resolve(Int.self))

#if canImport(MetricsTestKit)
    print("counted \(metrics.counterTotal(label: "hopoate.resolves"))")
#endif
