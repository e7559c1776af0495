// Another program of the package.
import Hopoate

struct Clock: Sendable { let hour: Int }

let container = DependencyContainer()
#if !MISTAKE_25
    container.register(Clock.self) { _ in Clock(hour: 7) }
#endif
print(try container.require(Clock.self).hour)
