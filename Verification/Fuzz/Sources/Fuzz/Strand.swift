import Dispatch
import Foundation

/// The state of one thread. Only one thread runs at any time, so that every run of a program is the same.
final class Strand {
    enum State { case idle, running, stopped }

    /// The number of running factories on this thread whose services a container caches.
    var creations = 0

    /// A running step, for reports.
    enum Step: CustomStringConvertible {
        case operation(Operation)
        case note(StaticString, Int)

        var description: String {
            switch self {
            case .operation(let operation): operation.title
            case .note(let text, let number): "  \(text) \(number):"
            }
        }
    }

    var state = State.idle
    var depth = 0
    var path: [Step] = []
    /// The containers that are bound to `shared`.
    var bindings: [Pair] = []
    /// The expected results of the lookups in progress.
    var calls: [ExpectedCall] = []
    /// The containers that calls in progress keep alive.
    var inUse: [ReferenceContainer] = []
}

/// A thread that takes turns with the thread that gives it work.
///
/// Unchecked, because its members are not protected. Sound, because both threads use all members except the semaphores in turns.
final class TurnTaker: @unchecked Sendable {
    private let turn = DispatchSemaphore(value: 0)
    private let back = DispatchSemaphore(value: 0)
    private var work: (() -> Void)?

    init() {
        let thread = Thread { [self] in
            while true {
                turn.wait()
                work?()
                work = nil
                back.signal()
            }
        }
        thread.stackSize = 16 << 20
        thread.start()
    }

    /// Runs a closure on the thread until it ends or stops.
    func start(_ work: @escaping () -> Void) {
        self.work = work
        resume()
    }

    /// Continues the closure until it ends or stops again.
    func resume() {
        turn.signal()
        back.wait()
    }

    /// Stops the closure until `resume`. Called on the thread itself.
    func stop() {
        back.signal()
        turn.wait()
    }
}

/// Threads that outlive the programs, like the threads of a pool.
let threads = (0..<Decoder.guests).map { _ in TurnTaker() }
