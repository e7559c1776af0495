// LeakCheck             uses everything from several threads, releases it, and returns
// LeakCheck --plant     the same with a leak on purpose
// LeakCheck --abandon   returns while its threads are busy
// LeakCheck --heap N    measures how much the heap grows with N resolves, which must be zero

import CHeap
import Hopoate

let arguments = CommandLine.arguments.dropFirst()

switch arguments.first {
case "--heap":
    let count = arguments.dropFirst().first.flatMap { Int($0) } ?? 10_000_000
    let container = DependencyContainer()
    container.register(Polite(), for: (any Greeter).self)
    container.register(Desk(1), for: Desk.self)
    let hall = Hall(container)
    func resolveAll(_ count: Int) -> Int {
        var sum = 0
        for _ in 0..<count / 5 {
            sum += container.resolve(Desk.self).number
            sum += container.withService(Desk.self) { $0.number }
            sum += container.optionalResolve(Desk.self)?.number ?? 0
            sum += container.canResolve(Int.self) ? 1 : 0
            sum += hall.desk.number
        }
        return sum
    }
    _ = resolveAll(1_000)
    let before = heap_allocated_bytes()
    let sum = resolveAll(count)
    let after = heap_allocated_bytes()
    print("\(count) resolves, \(after - before) bytes (\(sum) found)")
    precondition(after == before, "resolving takes memory")
case "--abandon":
    for _ in 0..<3 {
        _ = Thread { while true { useEverything(DependencyContainer.shared, rounds: 10) } }
    }
    useEverything(DependencyContainer.shared, rounds: 3)
default:
    for containers in 0..<3 {
        let container = containers == 0 ? DependencyContainer.shared : DependencyContainer()
        let threads = (0..<4).map { _ in Thread { useEverything(container, rounds: 200) } }
        for thread in threads { thread.join() }
        container.removeAll()
    }
    if arguments.first == "--plant" {
        // Services with an additional reference. On a thread of its own, so that no stack points to them afterwards.
        Thread {
            for number in 0..<100 {
                let container = DependencyContainer()
                container.register(Desk(number), for: Desk.self)
                _ = Unmanaged.passRetained(container.resolve(Desk.self))
            }
        }.join()
    }
    print("everything was used and dropped")
}
