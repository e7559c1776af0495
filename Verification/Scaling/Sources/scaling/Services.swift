import Hopoate
import Synchronization

/// A service of no content.
final class Service: Sendable {}

/// One that is found without a name, beside those with names.
final class Known: Sendable {}

/// One that nobody registers.
final class Unknown: Sendable {}

/// One that others hold.
final class Inner: Sendable {}

/// One that holds others.
final class Outer: Sendable {}

/// An argument with the hash value of all others.
struct Colliding: Hashable, Sendable {
    var value: Int

    func hash(into hasher: inout Hasher) { hasher.combine(0) }
}

/// Names that no other check uses.
func names(_ count: Int, _ prefix: String = "name") -> [DependencyName] {
    (0..<count).map { DependencyName("\(prefix)-\($0)") }
}

/// A container with so many registrations of instances, of one type under different names, and one more without a name.
func filled(_ names: [DependencyName]) -> DependencyContainer {
    let container = DependencyContainer()
    for name in names { container.register(Service(), for: Service.self, named: name) }
    container.register(Known(), for: Known.self)
    return container
}

/// How often an operation that may not grow is repeated, so that it can be told from what surrounds it.
let repetitions = 64

func repeated(_ body: () -> Void) {
    for _ in 0..<repetitions { body() }
}

/// Runs a closure that must not throw.
func must<Output>(_ body: () throws -> Output) -> Output {
    do { return try body() } catch { fatalError("\(error)") }
}

/// Some containers with n names each. How many slots of a table a lookup probes is a matter of addresses, so one container and
/// one key alone say little.
struct Containers: Sendable {
    static let count = 8
    let names: [DependencyName]
    let containers: [DependencyContainer]

    private static let made = Mutex<[Int: Containers]>([:])

    /// The same ones for each check. Who registers in them removes it again.
    static func with(_ n: Int) -> Containers {
        made.withLock { made in
            if let containers = made[n] { return containers }
            let names = (0..<n).map { DependencyName("shared-\($0)") }
            let containers = Containers(names: names, containers: (0..<count).map { filled(names, skipping: $0) })
            made[n] = containers
            return containers
        }
    }

    /// Calls a closure with each container, and with some of its names.
    func each(_ body: (DependencyContainer, DependencyName) -> Void) {
        let step = names.count / repetitions
        for index in 0..<repetitions {
            body(containers[index % Self.count], names[max(index * step, Self.count + index) % names.count])
        }
    }
}

/// As `filled`, without some of the names, so that no two tables are the same.
private func filled(_ names: [DependencyName], skipping count: Int) -> DependencyContainer {
    filled(Array(names.dropFirst(names.count > count * 2 ? count : 0)))
}
