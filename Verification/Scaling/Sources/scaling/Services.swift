import Hopoate
import Synchronization

/// An empty service.
final class Service: Sendable {}

/// A service that is registered without a name, next to services with names.
final class Known: Sendable {}

/// A service without a registration.
final class Unknown: Sendable {}

/// A service that other services hold.
final class Inner: Sendable {}

/// A service that holds other services.
final class Outer: Sendable {}

/// An argument with the same hash value as all others.
struct Colliding: Hashable, Sendable {
    var value: Int

    func hash(into hasher: inout Hasher) { hasher.combine(0) }
}

/// Names that no other check uses.
func names(_ count: Int, _ prefix: String = "name") -> [DependencyName] {
    (0..<count).map { DependencyName("\(prefix)-\($0)") }
}

/// A container with an instance of one type under each name, and one more instance without a name.
func filled(_ names: [DependencyName]) -> DependencyContainer {
    let container = DependencyContainer()
    for name in names { container.register(Service(), for: Service.self, named: name) }
    container.register(Known(), for: Known.self)
    return container
}

/// The number of repetitions of a constant operation, so that it stands out from the work around it.
let repetitions = 64

func repeated(_ body: () -> Void) {
    for _ in 0..<repetitions { body() }
}

/// Runs a closure that must not throw.
func must<Output>(_ body: () throws -> Output) -> Output {
    do { return try body() } catch { fatalError("\(error)") }
}

/// Several containers with n names each. The number of slots that a lookup probes depends on addresses, so a single container and
/// key would say little.
struct Containers: Sendable {
    static let count = 8
    let names: [DependencyName]
    let containers: [DependencyContainer]

    private static let made = Mutex<[Int: Containers]>([:])

    /// The same containers for each check. A check that registers in them removes its registrations again.
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

/// As `filled`, without some of the names, so that the tables differ.
private func filled(_ names: [DependencyName], skipping count: Int) -> DependencyContainer {
    filled(Array(names.dropFirst(names.count > count * 2 ? count : 0)))
}
