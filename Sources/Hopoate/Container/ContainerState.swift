/// What a container keeps besides its registrations: made when it is first needed, so that most containers have none.
final class ContainerState: Sendable {
    private struct Contents {
        var serial = 0
        var disposals: [ObjectIdentifier: (serial: Int, disposal: Disposal)] = [:]
        var instruments: [any DependencyInstrument] = []
    }

    private let contents = Locked(Contents())
    /// One when somebody has begun to end the container. Raised under the lock; read also without it, since every request that makes
    /// a scoped service asks all the containers above it.
    private let ends = SharedCounter()

    deinit {
        if !instruments.isEmpty { endWatching() }
    }

    /// What observes what is registered, in the order in which it came.
    var instruments: [any DependencyInstrument] { contents.withLock { $0.instruments } }

    /// Adds one of them.
    ///
    /// - Returns: Whether it is the first.
    func add(_ instrument: any DependencyInstrument) -> Bool {
        contents.withLock { contents in
            contents.instruments.append(instrument)
            return contents.instruments.count == 1
        }
    }

    /// Whether the end of the container has begun.
    var hasEnded: Bool { ends.value != 0 }

    /// Notes a disposal, unless the container has ended.
    ///
    /// - Returns: Whether it was noted.
    func add(_ disposal: Disposal) -> Bool {
        contents.withLock { contents in
            guard !hasEnded else { return false }
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
        contents.withLock { _ in
            guard !hasEnded else { return false }
            ends.increment()
            return true
        }
    }
}
