// A program with a race in one of its services, which ThreadSanitizer has to report: the container hands services to
// threads, and that must not look as if it also kept the threads apart.
import Foundation
import Hopoate

final class Counter {
    var count = 0
}

let container = DependencyContainer()
container.register(Counter(), for: Counter.self)

let group = DispatchGroup()
for _ in 0..<2 {
    group.enter()
    Thread.detachNewThread {
        for round in 0..<10_000 {
            // Both ways to ask, and neither orders the writes.
            container.resolve(Counter.self).count += 1
            if round.isMultiple(of: 2) { container.withService(Counter.self) { $0.count += 1 } }
        }
        group.leave()
    }
}
group.wait()
print("counted", container.resolve(Counter.self).count)
