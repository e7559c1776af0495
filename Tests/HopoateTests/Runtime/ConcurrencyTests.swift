import Hopoate
import Testing

/// Races on the registrations of a container, each with 1 to 16 threads. No service may be lost, released twice or leaked.
@Suite(.mayBlock) struct ConcurrencyTests {
    @Test(arguments: threadCounts) func readersAlwaysFindAServiceWhileWritersChangeTheStack(threads: Int) {
        race(threads) { container, tracker in
            container.register(tracker.make(-1), for: Tracked.self)
            return { index in
                for round in 0..<rounds(4000) {
                    if index.isMultiple(of: 2) {
                        let token = container.register(tracker.make(round), for: Tracked.self)
                        check(container.canResolve(Tracked.self))
                        container.remove(token)
                    }
                    check(container.resolve(Tracked.self).isIntact)
                    check(container.withService(Tracked.self) { $0.isIntact })
                }
            }
        }
    }

    @Test(arguments: threadCounts) func overwriteNeverShowsAGap(threads: Int) {
        race(threads) { container, tracker in
            container.register(tracker.make(), for: Tracked.self)
            return { index in
                for round in 0..<rounds(20_000) {
                    if index == 0 {
                        container.register(tracker.make(round), for: Tracked.self, replacing: true)
                        continue
                    } else if index == 1, round.isMultiple(of: 8) {
                        container.hopoate1.overwriteExistingRegistrations(service: Tracked.self, cacheService: false) {
                            tracker.make(round)
                        }
                    }
                    check(container.optionalResolve(Tracked.self)?.isIntact == true)
                    check(container.canResolve(Tracked.self))
                    check(container.withOptionalService(Tracked.self) { $0.isIntact } == true)
                    check(container.resolveAll(Tracked.self).count == 1)
                }
            }
        }
    }

    @Test(arguments: threadCounts) func eachThreadFindsItsOwnTypesWhileTheTableGrows(threads: Int) {
        struct Register: TypeVisitor {
            let container: DependencyContainer
            let tracker: Tracker
            let index: Int
            let threads: Int
            func visit<Parameter>(_ type: Parameter.Type, number: Int) {
                if number % threads == index {
                    container.register(Tag<Parameter>(tracked: tracker.make(number)), for: Tag<Parameter>.self)
                    check(container.optionalResolve(Tag<Parameter>.self)?.tracked.number == number)
                } else if let tag = container.optionalResolve(Tag<Parameter>.self) {
                    // Another thread's service is either absent or intact.
                    check(tag.tracked.isIntact && tag.tracked.number == number)
                    check(container.withService(Tag<Parameter>.self) { $0.tracked.number } == number)
                }
                check(container.resolve(Int.self) == 1)
            }
        }
        race(threads) { container, tracker in
            container.register(1, for: Int.self)
            return { index in
                let register = Register(container: container, tracker: tracker, index: index, threads: threads)
                for _ in 0..<max(1, rounds(10)) { visitTypes(200, register) }
            }
        }
    }

    @Test(arguments: threadCounts) func registeringRemovingAndOverwritingOneTypeLosesNothing(threads: Int) {
        race(threads) { container, tracker in
            { index in
                for round in 0..<rounds(2000) {
                    let token = container.register(tracker.make(round), for: Tracked.self)
                    switch (round + index) % 7 {
                    case 0: container.register(tracker.make(), for: Tracked.self, replacing: true)
                    case 1: container.removeAll()
                    case 2: check(container.resolveAll(Tracked.self).allSatisfy(\.isIntact))
                    case 3: _ = container.optionalResolve(Tracked.self).map { check($0.isIntact) }
                    case 4: container.hopoate1.register(service: Tracked.self, cacheService: false) { tracker.make() }
                    default: break
                    }
                    container.remove(token)
                    container.remove(token)
                }
            }
        }
    }

    @Test(arguments: threadCounts) func containersOnDifferentThreadsAreIndependent(threads: Int) {
        race(threads) { _, tracker in
            { index in
                let container = DependencyContainer()
                for round in 0..<rounds(2000) {
                    let token = container.register(tracker.make(index), for: Tracked.self)
                    check(container.resolve(Tracked.self).number == index)
                    container.register(round, for: Int.self, replacing: true)
                    check(container.resolve(Int.self) == round)
                    container.remove(token)
                    check(!container.canResolve(Tracked.self))
                }
            }
        }
    }

    @Test(arguments: threadCounts) func resolveAllReturnsAConsistentSnapshot(threads: Int) {
        race(threads) { container, tracker in
            { index in
                for round in 0..<rounds(1000) {
                    if index == 0 {
                        // Numbers increase towards the top of the stack, whichever registrations are removed from the middle.
                        let base = round * 4
                        let tokens = (base..<base + 4).map { container.register(tracker.make($0), for: Tracked.self) }
                        for token in [tokens[1], tokens[0], tokens[3], tokens[2]] { container.remove(token) }
                    }
                    let numbers = container.resolveAll(Tracked.self).map(\.number)
                    check(numbers.count <= 4)
                    check(zip(numbers, numbers.dropFirst()).allSatisfy { $0 > $1 })
                    // An odd number is only present above the even number below it.
                    for number in numbers where !number.isMultiple(of: 2) { check(numbers.contains(number - 1)) }
                }
            }
        }
    }

    @Test(arguments: threadCounts) func removedServiceIsNotFoundAgain(threads: Int) {
        race(threads) { container, tracker in
            let dead = Locked(-1)
            return { index in
                for round in 0..<rounds(3000) {
                    if index == 0 {
                        let token = container.register(tracker.make(round), for: Tracked.self)
                        container.remove(token)
                        dead.withLock { $0 = round }
                    } else {
                        let removed = dead.current
                        if let found = container.optionalResolve(Tracked.self) { check(found.number > removed) }
                    }
                }
            }
        }
    }

    @Test(arguments: threadCounts) func servicesWhoseDeinitResolvesAreRemovedUnderLoad(threads: Int) {
        race(threads) { container, tracker in
            container.register(1, for: Int.self)
            return { index in
                for round in 0..<rounds(2000) {
                    // Weak, because a borrow of another test may defer the release of the service beyond the end of the
                    // container.
                    let service = tracker.make(round) { [weak container] in
                        guard let container else { return }
                        check(container.resolve(Int.self) == 1)
                        container.remove(container.register("last words", for: String.self))
                    }
                    let token = container.register(service, for: Tracked.self)
                    _ = container.optionalResolve(Tracked.self)
                    if round.isMultiple(of: 3) {
                        container.hopoate1.overwriteExistingRegistrations(service: Tracked.self, cacheService: false) {
                            tracker.make()
                        }
                    }
                    container.remove(token)
                }
            }
        }
    }

    @Test(arguments: threadCounts) func containersAreMadeAndDroppedUnderLoad(threads: Int) {
        let tracker = Tracker()
        let current = Locked(DependencyContainer())
        runThreads(threads) { index in
            for round in 0..<rounds(2000) {
                let container = current.current
                container.register(tracker.make(round), for: Tracked.self)
                check(container.resolve(Tracked.self).isIntact)
                check(container.withService(Tracked.self) { $0.isIntact })
                if round % threads == index {
                    let next = round.isMultiple(of: 2) ? DependencyContainer() : DependencyContainer().makeChild()
                    current.withLock { $0 = next }
                }
            }
        }
        current.withLock { $0 = DependencyContainer() }
        expectGone(tracker)
    }

    @Test(arguments: threadCounts) func childrenComeAndGoWhileTheirParentChanges(threads: Int) {
        race(threads) { parent, tracker in
            parent.register(tracker.make(-1), for: Tracked.self)
            return { index in
                for round in 0..<rounds(2000) {
                    let child = parent.makeChild()
                    check(child.resolve(Tracked.self).isIntact)
                    let own = child.register(tracker.make(round), for: Tracked.self)
                    check(child.resolve(Tracked.self) !== parent.resolve(Tracked.self))
                    if index.isMultiple(of: 2) {
                        parent.register(tracker.make(-2), for: Tracked.self, replacing: true)
                    }
                    child.remove(own)
                    check(child.resolve(Tracked.self).number < 0)
                }
            }
        }
    }

    @Test(arguments: threadCounts) func registrationsPublishEarlierWrites(threads: Int) {
        // Services without a lock of their own: ThreadSanitizer reports if the container does not order the accesses.
        final class Message {
            var text = ""
            var parts: [Int] = []
        }
        race(threads) { container, _ in
            { index in
                for round in 0..<rounds(2000) {
                    if index == 0 {
                        let message = Message()
                        message.text = "round \(round)"
                        message.parts = [round, round + 1]
                        container.register(unchecked: Message.self, lifetime: .eager, replacing: true) { _ in message }
                    } else if let message = container.optionalResolve(Message.self) {
                        check(message.text == "round \(message.parts[0])")
                        check(message.parts.count == 2)
                    }
                }
            }
        }
    }
}

/// Runs a closure on `threads` threads with one container. Checks that no instance is alive after the container is released.
func race(
    _ threads: Int, _ location: SourceLocation = #_sourceLocation,
    _ prepare: (DependencyContainer, Tracker) -> @Sendable (_ index: Int) -> Void
) {
    let tracker = Tracker()
    do {
        let container = DependencyContainer()
        runThreads(threads, prepare(container, tracker))
    }
    expectGone(tracker, location)
}
