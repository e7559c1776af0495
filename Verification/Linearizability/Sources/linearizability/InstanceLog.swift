import CHarness
import History
import Hopoate

/// A service that is created on first use. It knows its instance number, and whether it was deinitialized.
final class Item<Key> {
    private(set) var instance: Identifier

    init(_ instance: Identifier) {
        self.instance = instance
    }

    deinit {
        // In C, because the compiler may remove a store to an object that is being deinitialized.
        withUnsafeMutablePointer(to: &instance) { har_store($0, .dead) }
    }
}

// Unchecked, because the deinitializer writes. Sound, because it runs when no other thread has a reference.
extension Item: @unchecked Sendable {}

private struct FactoryFailure: Error {}

/// The calls of one thread in a round, with the factories and hooks that run in them. Only that thread uses it, as
/// `current`.
final class InstanceLog {
    private let thread: Int
    /// The containers of the round. Not retained, because the round holds the log as well.
    private unowned let round: InstanceRound
    private(set) var calls: [InstanceCall] = []
    private(set) var creations: [InstanceCreation] = []
    private(set) var disposals: [InstanceDisposal] = []
    private var step = InstanceStep(kind: .resolve)

    init(thread: Int, round: InstanceRound, capacity: Int) {
        self.thread = thread
        self.round = round
        calls.reserveCapacity(capacity)
        creations.reserveCapacity(capacity)
        disposals.reserveCapacity(capacity)
    }

    /// The log of the calling thread; nil outside of a round.
    private static var current: InstanceLog? {
        har_thread_context().map { Unmanaged<InstanceLog>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Makes this the log of the calling thread while the closure runs.
    func whileCurrent(_ body: () -> Void) {
        har_set_thread_context(Unmanaged.passUnretained(self).toOpaque())
        body()
        har_set_thread_context(nil)
    }

    /// Makes a call and records it.
    func record(_ step: InstanceStep, _ body: () -> (InstanceCall.Answer, Identifier)) {
        self.step = step
        let invoked = har_clock_read()
        let (answer, instance) = body()
        let returned = har_clock_read()
        calls.append(
            InstanceCall(
                step.kind, thread: thread, container: step.container, key: step.key, argument: step.argument,
                step.registration, answer: answer, instance: instance, invoked: invoked, returned: returned))
    }

    /// The factory of a registration. It may run on any thread.
    static func create<Key>(
        _ registration: Identifier, _ lifetime: InstanceLifetime, _ container: DependencyContainer, argument: Int
    ) throws -> Item<Key> {
        guard let log = current else { preconditionFailure("a factory runs outside of the round") }
        return try log.create(registration, lifetime, container, argument: argument)
    }

    private func create<Key>(
        _ registration: Identifier, _ lifetime: InstanceLifetime, _ container: DependencyContainer, argument: Int
    ) throws -> Item<Key> {
        let begun = har_clock_read()
        let step = step
        let place =
            switch lifetime {
            case .singleton: 0
            case .scoped: round.number(of: container)
            case .keyed: argument
            }
        for _ in 0..<step.pausesInside { har_pause() }
        if step.yields { har_yield() }
        if step.nests, Key.self != FirstKey.self {
            let nested = InstanceStep(kind: .resolve, container: round.number(of: container))
            record(nested) { resolve(Item<FirstKey>.self, container) }
            self.step = step
        }
        let count = creations.count { $0.instance != .none } + 1
        let instance: Identifier = step.fails ? .none : Identifier(thread % 8) * 1000 + Identifier(count)
        creations.append(
            InstanceCreation(
                thread: thread, registration, place: place, instance: instance, begun: begun, ended: har_clock_read()))
        if step.fails { throw FactoryFailure() }
        return Item(instance)
    }

    /// The disposal hook of a registration. It may run on any thread.
    static func dispose<Key>(_ item: Item<Key>) {
        // A hook that runs outside of a round is too late. The check has reported it as missing.
        guard let log = current else { return }
        let begun = har_clock_read()
        for _ in 0..<log.step.pausesInside / 2 { har_pause() }
        log.disposals.append(
            InstanceDisposal(
                thread: log.thread, instance: item.instance, begun: begun, ended: har_clock_read()))
    }
}

/// Resolves a service and returns the outcome.
func resolve<Key>(_ type: Item<Key>.Type, _ container: DependencyContainer) -> (InstanceCall.Answer, Identifier) {
    answer { () throws(DependencyError) in try container.require(type).instance }
}

/// Calls the closure and returns the outcome.
func answer(_ body: () throws(DependencyError) -> Identifier) -> (InstanceCall.Answer, Identifier) {
    do throws(DependencyError) {
        return (.found, try body())
    } catch {
        switch error.reason {
        case .notRegistered: return (.missing, .none)
        case .creationFailed: return (.failed, .none)
        case .shutDown: return (.ended, .none)
        default: preconditionFailure("\(error)")
        }
    }
}
