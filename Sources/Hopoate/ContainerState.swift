/// What a container keeps besides its registrations: made when it is first needed, so that most containers have none.
final class ContainerState: Sendable {
    /// How far the end of the container has come.
    enum Phase { case open, ending, ended }

    private struct Contents {
        var phase = Phase.open
        var serial = 0
        var disposals: [ObjectIdentifier: (serial: Int, disposal: Disposal)] = [:]
    }

    private let contents = Locked(Contents())

    var phase: Phase { contents.withLock { $0.phase } }

    /// Notes a disposal, unless the container has ended.
    ///
    /// - Returns: Whether it was noted.
    func add(_ disposal: Disposal) -> Bool {
        contents.withLock { contents in
            guard contents.phase == .open else { return false }
            contents.serial += 1
            contents.disposals[ObjectIdentifier(disposal)] = (contents.serial, disposal)
            return true
        }
    }

    /// Takes a disposal out.
    ///
    /// - Returns: Whether it was there: then it is the caller's to run.
    func forget(_ disposal: Disposal) -> Bool {
        contents.withLock { $0.disposals.removeValue(forKey: ObjectIdentifier(disposal)) } != nil
    }

    /// Takes all disposals out, latest first.
    func takeDisposals() -> [Disposal] {
        let taken = contents.withLock { contents in
            defer { contents.disposals = [:] }
            return contents.disposals
        }
        return taken.values.sorted { $0.serial > $1.serial }.map(\.disposal)
    }

    /// Begins the end of the container.
    ///
    /// - Returns: Whether nobody had begun it before.
    func beginToEnd() -> Bool {
        contents.withLock { contents in
            guard contents.phase == .open else { return false }
            contents.phase = .ending
            return true
        }
    }

    func end() { contents.withLock { $0.phase = .ended } }
}
