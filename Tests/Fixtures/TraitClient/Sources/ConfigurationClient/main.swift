import Hopoate
import HopoateConfiguration

#if canImport(Configuration)
    import Configuration

    struct NumberModule: DependencyModule, Configurable {
        let number: Int
        init(configuration: DependencyConfiguration) throws { number = try configuration.read(.required("number")) }
        func register(in container: DependencyContainer) { container.register(number, for: Int.self) }
    }

    let container = DependencyContainer()
    try container.install(NumberModule.self, configuration: [InMemoryProvider(values: ["number": 7])])
    print(container.resolve(Int.self))
#else
    let configuration: DependencyConfiguration = []
#endif
