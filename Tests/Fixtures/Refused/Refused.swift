// Registrations that the compiler refuses. Each line with a comment has an error with the text in braces; no other line has.
import Hopoate

// A factory runs on any thread.
func registerFactories(in container: DependencyContainer) {
    container.register(Layout.self) { _ in
        Layout(width: Screen.width)  // expected-error {{main actor-isolated static property 'width'}}
    }
    container.register(Layout.self, named: "replacing", replacing: true) { _ in
        Layout(width: Screen.width)  // expected-error {{main actor-isolated static property 'width'}}
    }
}

// Any thread may use a shared instance.
func registerSharedInstances(in container: DependencyContainer) {
    container.register(Counter.self) { _ in Counter() }  // expected-error {{does not conform to the 'Sendable'}}
    container.register(Counter.self, using: Counter.init)  // expected-error {{does not conform to the 'Sendable'}}
    // expected-swift5-error@-1 {{converting non-Sendable function value}}
    container.register(Counter(), for: Counter.self, replacing: true)  // expected-error {{the 'Sendable' protocol}}
    container.decorate(Counter.self) { counter, _ in counter }  // expected-error {{does not conform to the 'Sendable'}}
}

// A transient instance belongs to its caller alone.
func registerTransients(in container: DependencyContainer) {
    let counter = Counter()
    container.register(transient: Counter.self) { _ in
        counter  // expected-error {{capture of 'counter' with non-Sendable type 'Counter'}}
    }
}

// Hooks and completions run on any thread.
func registerHooks(in container: DependencyContainer) {
    let counter = Counter()
    container.register(Layout.self) { _ in
        Layout(width: 80)
    } onDispose: { _ in
        counter.count += 1  // expected-error {{capture of 'counter' with non-Sendable type 'Counter'}}
    }
    container.register(Layout.self) { _ in
        Layout(width: 80)
    } onAsyncDispose: { _ in
        counter.count += 1  // expected-error {{capture of 'counter' with non-Sendable type 'Counter'}}
    }
    container.register(Layout.self) { _ in
        Layout(width: 80)
    } afterCreation: { _, _ in
        counter.count += 1  // expected-error {{capture of 'counter' with non-Sendable type 'Counter'}}
    }
}

// Each parameter has one source of its type.
func registerWithSources(in container: DependencyContainer) {
    let make: @Sendable (Layout, Int) -> Frame = { Frame(layout: $0, number: $1) }
    container.register(Frame.self, using: make, taking: .service)  // expected-error {{missing argument for parameter}}
    container.register(Frame.self, using: make, taking: .service, .value("1"))  // expected-error {{cannot convert}}
}

// The labels say which initializer is meant. The compiler has no message for two initializers of equal types; once it has one, Errors.md need
// not explain this one.
func registerInitializers(in container: DependencyContainer) {
    container.register(Frame.self, using: Frame.init)  // expected-error {{ambiguous use of 'init'}}
    container.register(Margin.self, using: Margin.init)  // expected-error {{failed to produce diagnostic}}
}
