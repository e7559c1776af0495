// The valid counterparts of Refused.swift, which compile without a warning.
import Hopoate

func registerFactories(in container: DependencyContainer) {
    container.register(Layout.self) { @MainActor _ in Layout(width: Screen.width) }
    container.register(Layout.self, replacing: true) { _ in await Layout(width: Screen.width) }
}

func registerSharedInstances(in container: DependencyContainer) {
    container.register(unchecked: Counter.self) { _ in Counter() }
    container.register(Layout(width: 80), for: Layout.self)
}

func registerTransients(in container: DependencyContainer) {
    container.register(transient: Counter.self) { _ in Counter() }
    container.register(transient: Counter.self) { (_, count: Int) in
        let counter = Counter()
        counter.count = count
        return counter
    }
    let counter = container.resolve(transient: Counter.self)
    Task.detached { counter.count += 1 }
}

func registerHooks(in container: DependencyContainer) {
    let columns = 80
    container.register(Layout.self) { _ in
        Layout(width: columns)
    } afterCreation: { layout, _ in
        print(layout.width == columns)
    } onDispose: { layout in
        print(layout.width == columns)
    } onAsyncDispose: { layout in
        print(layout.width == columns)
    }
    let counter = Counter()
    container.register(unchecked: Counter.self) { _ in
        counter
    } onDispose: { _ in
        counter.count += 1
    }
}

func registerInitializers(in container: DependencyContainer) {
    container.register(
        Frame.self, using: { (layout: Layout, number: Int) in Frame(layout: layout, number: number) }, taking: .service,
        .value(1))
}
