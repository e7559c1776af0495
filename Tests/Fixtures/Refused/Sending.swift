// A transient instance that its factory shares: the compiler looks at this after it has checked all types, so it is a file of its own.
import Hopoate

func registerSharedTransient(in container: DependencyContainer) {
    container.register(transient: Counter.self) { _ in
        let counter = Counter()
        Task { counter.count += 1 }  // expected-error {{risks causing data races}}
        return counter
    }
}
