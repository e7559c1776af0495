// The forms of Hopoate 1 that do not check sendability. In the Swift 6 language mode, each line with a comment has a warning that contains
// the text in braces. In the Swift 5 language mode, nothing has.
import Hopoate

func registerSharedInstances(in container: DependencyContainer) {
    container.register(Counter(), for: Counter.self)  // expected-swift6-warning {{register(unchecked: T.self}}
    container.register(service: Counter.self) { Counter() }  // expected-swift6-warning {{register(unchecked:)}}
    container.register(service: Layout.self) { Layout(width: 80) }  // expected-swift6-warning {{lifetime: .eager}}
}

func replace(in container: DependencyContainer) {
    container.overwriteExistingRegistrations(withService: Counter(), for: Counter.self)
    // expected-swift6-warning@-1 {{register(unchecked: T.self, lifetime: .eager, replacing: true)}}
    container.overwriteExistingRegistrations(service: Counter.self, cacheService: false) { Counter() }
    // expected-swift6-warning@-1 {{register(unchecked:)}}
}

/// A wrapper of an application, which takes services of any type.
func wrap<Service>(_ service: Service, for type: Service.Type, in container: DependencyContainer) {
    container.register(service, for: type)  // expected-swift6-warning {{register(unchecked: T.self}}
}

/// References pick the forms without default arguments.
func refer(to container: DependencyContainer) {
    let register: (Counter.Type, Bool, @escaping () -> Counter) -> ServiceRegistration<Counter> =
        container.register(service:cacheService:creator:)  // expected-swift6-warning {{register(unchecked:)}}
    _ = register(Counter.self, true) { Counter() }
}

/// The compiler checks this one.
func registerSendableInstance(in container: DependencyContainer) {
    container.register(Layout(width: 80), for: Layout.self)
}
