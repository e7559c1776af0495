// Registrations that the compiler refuses. Each line with a comment has an error, of which the comment is a part; no other line has.
import Hopoate

// A factory runs on any thread.
func registerFactories(in container: DependencyContainer) {
    container.register(Layout.self) { _ in
        Layout(width: Screen.width)  // refused: main actor-isolated static property 'width' can not be referenced
    }
    container.register(Layout.self, named: "replacing", replacing: true) { _ in
        Layout(width: Screen.width)  // refused: main actor-isolated static property 'width' can not be referenced
    }
}

// Any thread may use a shared instance.
func registerSharedInstances(in container: DependencyContainer) {
    container.register(Counter.self) { _ in Counter() }  // refused: does not conform to the 'Sendable'
    container.register(Counter.self, using: Counter.init)  // refused: does not conform to the 'Sendable'
    container.register(Counter(), for: Counter.self, replacing: true)  // refused: does not conform to the 'Sendable'
    container.decorate(Counter.self) { counter, _ in counter }  // refused: does not conform to the 'Sendable'
}

// A transient instance belongs to its caller alone.
func registerTransients(in container: DependencyContainer) {
    let counter = Counter()
    container.register(transient: Counter.self) { _ in
        counter  // refused: capture of 'counter' with non-Sendable type 'Counter' in a '@Sendable' closure
    }
}

// Hooks and completions run on any thread.
func registerHooks(in container: DependencyContainer) {
    let counter = Counter()
    container.register(Layout.self) { _ in
        Layout(width: 80)
    } onDispose: { _ in
        counter.count += 1  // refused: capture of 'counter' with non-Sendable type 'Counter' in a '@Sendable' closure
    }
    container.register(Layout.self) { _ in
        Layout(width: 80)
    } onAsyncDispose: { _ in
        counter.count += 1  // refused: capture of 'counter' with non-Sendable type 'Counter' in a '@Sendable' closure
    }
    container.register(Layout.self) { _ in
        Layout(width: 80)
    } afterCreation: { _, _ in
        counter.count += 1  // refused: capture of 'counter' with non-Sendable type 'Counter' in a '@Sendable' closure
    }
}
