// A program whose services bear several threads, of which ThreadSanitizer must not report anything, although registrations
// come and go meanwhile and what the threads found is reclaimed.
import Foundation
import Hopoate

/// Not Sendable as far as the compiler knows; safe by its lock.
final class Counter {
    private let lock = NSLock()
    private var count = 0

    func add() {
        lock.lock()
        defer { lock.unlock() }
        count += 1
    }

    var total: Int {
        lock.lock()
        defer { lock.unlock() }
        return count
    }
}

/// Written by the thread that registers it, read by those that find it, and destroyed by whoever lets go last. It has no
/// lock: that the container orders these is what is tested.
final class Message {
    var words: [Int]
    init(_ number: Int) { words = Array(repeating: number, count: 8) }
    deinit { words.removeAll() }
    var isWhole: Bool { words.count == 8 && words.allSatisfy { $0 == words[0] } }
}

struct Screen: Sendable {
    @Dependency(container: container) var greeting: String
}

let container = DependencyContainer()
container.register(Counter(), for: Counter.self)
container.register(Message(0), for: Message.self)
container.register("Good day.", for: String.self)
let screen = Screen()

/// Changes registrations, and takes no lock that a reader takes: that would order the two all by itself.
func change(_ round: Int) {
    switch round % 4 {
    case 0:
        container.overwriteExistingRegistrations(withService: Message(round), for: Message.self)
    case 1:
        container.remove(container.register(Message(round), for: Message.self))
    case 2:
        let token = container.register(Message(round), for: Message.self)
        container.withService(Message.self) { message in
            container.remove(token)
            precondition(message.isWhole)
        }
    default:
        let child = container.makeChild()
        child.register(service: Message.self, cacheService: false) { Message(round) }
        precondition(child.resolveAll(Message.self).allSatisfy(\.isWhole))
    }
    screen.greeting = "Good day \(round)."
}

/// Looks things up, kept.
func read(_ round: Int) {
    precondition(container.resolve(Message.self).isWhole)
    precondition(container.resolveAll(Message.self).allSatisfy(\.isWhole))
    precondition(screen.greeting.hasPrefix("Good day"))
}

/// Looks things up, borrowed. Not on the threads that keep: the end of a borrowing orders what they did before it, too.
func borrow(_ round: Int) {
    container.withService(Message.self) { precondition($0.isWhole) }
    if round.isMultiple(of: 100) {
        container.resolve(Counter.self).add()
        container.withService(Counter.self) { $0.add() }
    }
}

let roundsEach = 4_000
let group = DispatchGroup()
for work in [read, borrow, change, change] as [@Sendable (Int) -> Void] {
    group.enter()
    Thread.detachNewThread {
        for round in 0..<roundsEach { work(round) }
        group.leave()
    }
}
group.wait()
precondition(container.resolve(Counter.self).total == roundsEach / 100 * 2)
