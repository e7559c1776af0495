import Hopoate
import Testing

/// A borrow defers the release of its own service, and of no other one.
@Suite(.mayBlock) struct BorrowingPromptnessTests {
    private let tracker = Tracker()
    private let ends = Locked<[Int]>([])

    /// How the container releases a service.
    enum Ending: CaseIterable, Sendable {
        case remove, overwrite, removeAll, drop
    }

    /// Returns a container with one existing instance, and its token.
    private func makeContainer(_ number: Int) -> (DependencyContainer, ServiceRegistration<Tracked>) {
        let container = DependencyContainer()
        let token = container.register(Tracked.self, lifetime: .singleton) { [tracker] _ in
            tracker.make(number)
        } onDispose: { [ends] service in
            ends.withLock { $0.append(service.number) }
        }
        #expect(container.resolve(Tracked.self).number == number)
        return (container, token)
    }

    private func end(_ ending: Ending, _ container: DependencyContainer, _ token: ServiceRegistration<Tracked>) {
        switch ending {
        case .remove: container.remove(token)
        case .overwrite: container.register(tracker.make(0), for: Tracked.self, replacing: true)
        case .removeAll: container.removeAll()
        case .drop: break
        }
    }

    /// Runs a closure on a thread of its own, because it blocks, while another thread borrows from a container.
    private func whileBorrowed(_ container: DependencyContainer, _ body: @escaping @Sendable () -> Void) async {
        await onThread {
            let (isBorrowed, isOver) = (Signal(), Signal())
            let borrower = RealThread {
                container.withService(Tracked.self) { service in
                    isBorrowed.raise()
                    #expect(isOver.wait())
                    #expect(service.isIntact)
                }
            }
            #expect(isBorrowed.wait())
            body()
            isOver.raise()
            borrower.join()
        }
    }

    @Test(arguments: Ending.allCases) func borrowFromAnotherContainerDefersNoRelease(ending: Ending) async {
        let (borrowed, _) = makeContainer(1)
        await whileBorrowed(borrowed) {
            do {
                let (container, token) = makeContainer(2)
                end(ending, container, token)
            }
            #expect(ends.current == [2])
        }
        withExtendedLifetime(borrowed) { #expect(ends.current == [2]) }
    }

    @Test(arguments: [Ending.remove, .overwrite]) func nestedBorrowDefersTheReleaseOfItsOwnService(ending: Ending) async
    {
        let (outer, _) = makeContainer(1)
        await whileBorrowed(outer) {
            let (other, otherToken) = makeContainer(2)
            other.withService(Tracked.self) { service in
                let (container, token) = makeContainer(3)
                container.withService(Tracked.self) { #expect($0.number == 3) }
                end(ending, container, token)
                #expect(ends.current == [3])
                end(ending, other, otherToken)
                #expect(ends.current == [3] && service.isIntact)
            }
            withExtendedLifetime(other) { #expect(ends.current == [3, 2]) }
        }
    }

    @Test(arguments: [Ending.remove, .overwrite])
    func borrowDefersTheReleaseOfItsServiceToTheEndOfTheClosure(ending: Ending) async {
        let (container, token) = makeContainer(1)
        await whileBorrowed(container) {
            end(ending, container, token)
            #expect(ends.current == [])
        }
        #expect(ends.current == [1])
    }

    @Test(arguments: [Ending.remove, .removeAll])
    func borrowDefersNoOtherReleaseOfItsContainer(ending: Ending) async {
        let (container, _) = makeContainer(1)
        let other = container.register(Tracked.self, named: "other", lifetime: .singleton) { [tracker] _ in
            tracker.make(2)
        } onDispose: { [ends] service in
            ends.withLock { $0.append(service.number) }
        }
        #expect(container.resolve(Tracked.self, named: "other").number == 2)
        await whileBorrowed(container) {
            if ending == .remove { container.remove(other) } else { container.removeAll() }
            #expect(ends.current.contains(2))
        }
    }

    @Test func moreThanFourBorrowsNest() {
        let containers = (1...6).map { makeContainer($0) }
        func nest(_ level: Int) {
            guard level < containers.count else {
                for (container, token) in containers { container.remove(token) }
                // The inner two services were resolved for their closures, which hold them as any caller does.
                #expect(ends.current.isEmpty || ends.current == [5, 6])
                return
            }
            containers[level].0.withService(Tracked.self) { service in
                nest(level + 1)
                #expect(service.isIntact && service.number == level + 1)
            }
        }
        nest(0)
        #expect(ends.current.sorted() == [1, 2, 3, 4, 5, 6])
        #expect(ends.current.suffix(4) == [4, 3, 2, 1])
    }

    @Test func borrowThroughAChildDefersReleasesOfTheParentOnly() async {
        let (parent, token) = makeContainer(1)
        let child = parent.makeChild()
        await whileBorrowed(child) {
            let number = child.register(2, for: Int.self)
            child.remove(number)
            let (other, otherToken) = makeContainer(3)
            other.remove(otherToken)
            #expect(ends.current == [3])
            parent.remove(token)
            #expect(ends.current == [3])
        }
        #expect(ends.current == [3, 1])
    }
}
