/// Which registrations the roots reach, and through which others.
struct Askers {
    private var reached: [ObjectIdentifier: Asker] = [:]

    private enum Asker {
        case root(Need)
        case registration(Registration)
    }

    init(_ wiring: Wiring) {
        var pending: [Registration] = []
        var reached: [ObjectIdentifier: Asker] = [:]
        func reach(_ need: Need, _ asker: Asker) {
            for candidate in wiring.candidates(need) where reached[ObjectIdentifier(candidate)] == nil {
                reached[ObjectIdentifier(candidate)] = asker
                pending.append(candidate)
            }
        }
        for need in wiring.roots { reach(need, .root(need)) }
        var next = 0
        while next < pending.count {
            let registration = pending[next]
            next += 1
            for need in wiring.needs(of: registration) { reach(need, .registration(registration)) }
        }
        self.reached = reached
    }

    func reaches(_ registration: Registration) -> Bool { reached[ObjectIdentifier(registration)] != nil }

    /// Who needs a registration, up to the code that resolves the first of them.
    func chain(_ registration: Registration) -> [String] {
        var chain: [String] = []
        var current = registration
        while let asker = reached[ObjectIdentifier(current)] {
            switch asker {
            case .root(let need):
                return chain + ["needed by `\(need.asker)` at \(need.place.fileID)"]
            case .registration(let next):
                chain.append("needed by \(next.shown)")
                current = next
            }
        }
        return chain
    }
}
