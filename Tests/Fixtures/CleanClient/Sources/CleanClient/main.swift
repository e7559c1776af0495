// A program whose services are thread-safe. ThreadSanitizer must not report anything, although registrations come and go and
// services are reclaimed concurrently.
import Foundation
import Hopoate

/// Not Sendable for the compiler, but thread-safe by its lock.
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

/// Written by the registering thread, read by threads that find it, and destroyed by its last owner. It has no lock, so the
/// container must order these accesses.
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
container.register(unchecked: Counter.self, lifetime: .eager) { _ in Counter() }
container.register(unchecked: Message.self, lifetime: .eager) { _ in Message(0) }
container.register("Good day.", for: String.self)
let screen = Screen()

/// Changes registrations without a lock that readers take, because that would order the threads by itself.
func change(_ round: Int) {
    switch round % 4 {
    case 0:
        container.register(unchecked: Message.self, lifetime: .eager, replacing: true) { _ in Message(round) }
    case 1:
        container.remove(container.register(unchecked: Message.self, lifetime: .eager) { _ in Message(round) })
    case 2:
        let token = container.register(unchecked: Message.self, lifetime: .eager) { _ in Message(round) }
        container.withService(Message.self) { message in
            container.remove(token)
            precondition(message.isWhole)
        }
    default:
        let child = container.makeChild()
        child.register(unchecked: Message.self, lifetime: .transient) { _ in Message(round) }
        precondition(child.resolveAll(Message.self).allSatisfy(\.isWhole))
    }
    screen.greeting = "Good day \(round)."
}

/// Resolves services.
func read(_ round: Int) {
    precondition(container.resolve(Message.self).isWhole)
    precondition(container.resolveAll(Message.self).allSatisfy(\.isWhole))
    precondition(screen.greeting.hasPrefix("Good day"))
}

/// Borrows services. Not on the resolving threads, because the end of a borrow orders their earlier accesses, too.
func borrow(_ round: Int) {
    container.withService(Message.self) { precondition($0.isWhole) }
    if round.isMultiple(of: 100) {
        container.resolve(Counter.self).add()
        container.withService(Counter.self) { $0.add() }
    }
}

/// Lets many threads use the container at once: records of threads are allocated together, and different threads allocate them.
func crowd() {
    let (begun, mayEnd) = (DispatchGroup(), DispatchSemaphore(value: 0))
    let count = 300
    for _ in 0..<count {
        begun.enter()
        Thread.detachNewThread {
            precondition(container.resolve(Message.self).isWhole)
            begun.leave()
            mayEnd.wait()
            mayEnd.signal()
        }
    }
    begun.wait()
    mayEnd.signal()
}

crowd()
let roundsEach = 4_000
let group = DispatchGroup()
for work in [read, borrow, change, change] as [@Sendable (Int) -> Void] {
    group.enter()
    Thread.detachNewThread {
        for round in 0..<roundsEach { work(round) }
        group.leave()
    }
}
for _ in 0..<2 {
    group.enter()
    Thread.detachNewThread {
        useWhileThreadsEnd()
        group.leave()
    }
}
group.wait()
precondition(container.resolve(Counter.self).total == roundsEach / 100 * 2)
if #available(macOS 13, *) { raceStarts() }
