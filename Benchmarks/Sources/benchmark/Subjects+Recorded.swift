import Hopoate
import HopoateServer

extension Subjects {
    /// An existing singleton of a container that records creations.
    static func recorded() -> [Subject] {
        let container = DependencyContainer()
        container.recordCreations()
        container.register((any Probe).self) { _ in Thermometer(22) }
        return [
            Subject(.recorded) { iterations in
                var sum = 0
                for _ in 0..<iterations { sum &+= container.resolve((any Probe).self).reading() }
                return sum
            }
        ]
    }
}
