import Hopoate

/// The creations of one registration. See CreationRecording.swift.
final class CreationRecord: ServiceRecord {
    /// One run of the factory that returned an instance.
    struct Entry: Sendable {
        let start: Int
        let duration: Int
        /// The services that were being created, the recorded one last. The innermost 16 of them (invariant 2).
        let chain: [ServiceIdentity]
        /// The number of services that were being created.
        let depth: Int
    }

    struct Contents: Sendable {
        var count = 0
        var failures = 0
        var first: Entry?
        var last: Entry?
        var longest: Entry?
    }

    /// The length of the longest recorded chain.
    static let longestChain = 16

    private let contents = Locked(Contents())
    private let now: @Sendable () -> Int

    init(_ now: @escaping @Sendable () -> Int) {
        self.now = now
    }

    var current: Contents { contents.withLock { $0 } }

    func create<Output>(_ factory: () throws -> Output) rethrows -> Output {
        let beginning = Beginning(at: now())
        do {
            let output = try factory()
            note(beginning)
            return output
        } catch {
            contents.withLock { $0.failures += 1 }
            throw error
        }
    }

    func create<Output>(
        isolation: isolated (any Actor)?, _ factory: () async throws -> Output
    ) async rethrows -> Output {
        let beginning = Beginning(at: now())
        do {
            let output = try await factory()
            note(beginning)
            return output
        } catch {
            contents.withLock { $0.failures += 1 }
            throw error
        }
    }

    /// The time and the chain at the begin of a creation. At its end, the chain may be gone: an abandoned creation has none.
    private struct Beginning {
        let time: Int
        let trail = servicesInCreation()

        init(at time: Int) {
            self.time = time
        }
    }

    private func note(_ beginning: Beginning) {
        let entry = Entry(
            start: beginning.time, duration: now() - beginning.time,
            chain: Array(beginning.trail.suffix(Self.longestChain)), depth: beginning.trail.count)
        let replaced = contents.withLock { contents in
            let before = contents
            contents.count += 1
            if contents.first == nil { contents.first = entry }
            contents.last = entry
            if entry.duration >= contents.longest?.duration ?? 0 { contents.longest = entry }
            return before
        }
        // Names end outside the lock, because the end of a name takes the lock of the name table.
        withExtendedLifetime(replaced) {}
    }
}
