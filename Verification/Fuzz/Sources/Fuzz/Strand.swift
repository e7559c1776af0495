import Dispatch
import Foundation

/// What belongs to one thread. Only one thread runs at any time, so that every run of a program is the same.
final class Strand {
    enum State { case idle, running, stopped }

    /// How many creators run on it of services that a container keeps.
    var creations = 0

    /// What runs, for reports.
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
    /// What `shared` is.
    var bindings: [Pair] = []
    /// What the lookups under way have to find.
    var calls: [ExpectedCall] = []
    /// Containers that the calls under way keep alive.
    var inUse: [ReferenceContainer] = []
}

/// A thread that takes turns with the one that gives it work.
///
/// Unchecked, because its members are not protected. Sound, because all but the semaphores is used by turns.
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

    /// Runs something there until it is over or stops.
    func start(_ work: @escaping () -> Void) {
        self.work = work
        resume()
    }

    /// Lets it go on until it is over or stops again.
    func resume() {
        turn.signal()
        back.wait()
    }

    /// Called there: gives the turn back until `resume`.
    func stop() {
        back.signal()
        turn.wait()
    }
}

/// They outlive the programs, as threads of a pool do.
let threads = (0..<Decoder.guests).map { _ in TurnTaker() }
