import Foundation
import Hopoate
import Testing

/// Disposal hooks and completions.
@Suite(.mayBlock) struct DisposalTests {
    let container = DependencyContainer()
    let tracker = Tracker()
    let ends = Locked<[Int]>([])

    /// Registers a service whose disposal is recorded.
    @discardableResult
    private func register(
        _ number: Int, in container: DependencyContainer? = nil, lifetime: Lifetime = .singleton
    ) -> ServiceRegistration<Tracked> {
        (container ?? self.container).register(Tracked.self, named: DependencyName("\(number)"), lifetime: lifetime) {
            [tracker] _ in
            tracker.make(number)
        } onDispose: { [ends] service in
            #expect(service.isIntact)
            ends.withLock { $0.append(service.number) }
        }
    }

    @discardableResult
    private func resolve(_ number: Int, in container: DependencyContainer? = nil) -> Tracked {
        (container ?? self.container).resolve(Tracked.self, named: DependencyName("\(number)"))
    }

    @Test func removeRunsTheHookOnce() {
        let token = register(1)
        resolve(1)
        #expect(ends.current == [])
        container.remove(token)
        #expect(eventually { ends.current == [1] })
        container.remove(token)
        container.removeAll()
        #expect(ends.current == [1])
    }

    @Test func overwriteRunsTheHooksOfAllThatItReplaces() {
        for number in 0..<3 {
            container.register(Tracked.self, lifetime: number == 0 ? .eager : .singleton) { [tracker] _ in
                tracker.make(number)
            } onDispose: { [ends] service in
                ends.withLock { $0.append(service.number) }
            }
        }
        _ = container.resolveAll(Tracked.self)
        container.register(tracker.make(9), for: Tracked.self, replacing: true)
        #expect(eventually { ends.current.sorted() == [0, 1, 2] })
        #expect(eventually { tracker.live == 1 })
    }

    @Test func hookDuringACreationSharesItsGraph() {
        /// The instances that the hook and the factory resolved, or nil if the hook had not run when `remove` returned.
        func instances() -> [Tracked]? {
            let container = DependencyContainer()
            let found = Locked<[Tracked]>([])
            container.register(Tracked.self, lifetime: .graph) { [tracker] _ in tracker.make() }
            let token = container.register(Int.self, lifetime: .eager) { _ in
                1
            } onDispose: { [unowned container] _ in
                found.withLock { $0.append(container.resolve(Tracked.self)) }
            }
            container.register(Bool.self, lifetime: .transient) { container in
                container.remove(token)
                let wasPrompt = found.current.count == 1
                found.withLock { $0.append(container.resolve(Tracked.self)) }
                return wasPrompt
            }
            return container.resolve(Bool.self) ? found.current : nil
        }
        // A borrow of another test may defer the hook, so the test tries again.
        var found: [Tracked]?
        let deadline = Date() + TimeInterval(patience)
        while found == nil, Date() < deadline { found = instances() }
        #expect(found.map(Tracker.count) == 1, "nil: in \(patience) s the hook never ran before 'remove' returned")
    }

    @Test func uncreatedServiceIsNotDisposedOf() {
        let token = register(1)
        register(2)
        container.remove(token)
        container.removeAll()
        #expect(ends.current == [] && tracker.made == 0)
    }

    @Test func removeAllDisposesInReverseOrderOfCreation() {
        for number in 0..<20 { register(number) }
        let order = [3, 7, 1, 0, 15, 12, 4]
        for number in order { resolve(number) }
        container.removeAll()
        #expect(ends.current == order.reversed())
        #expect(tracker.live == 0)
    }

    @Test func droppedContainerDisposesInReverseOrderOfCreation() {
        let order = [3, 7, 1, 0, 15, 12, 4]
        do {
            let container = DependencyContainer()
            for number in 0..<20 { register(number, in: container) }
            for number in order { resolve(number, in: container) }
        }
        #expect(ends.current == order.reversed())
        expectGone(tracker)
    }

    @Test func dependenciesAreDisposedOfAfterTheirDependents() {
        container.register(Int.self) { container in
            container.resolve(String.self).count
        } onDispose: { [ends] _ in
            ends.withLock { $0.append(1) }
        }
        container.register(String.self) { _ in
            "text"
        } onDispose: { [ends] _ in
            ends.withLock { $0.append(2) }
        }
        _ = container.resolve(Int.self)
        container.removeAll()
        #expect(ends.current == [1, 2])
    }

    @Test func childDisposesOfItsOwnInstancesAtItsEnd() {
        register(1)
        register(2, lifetime: .scoped)
        do {
            let child = container.makeChild()
            resolve(1, in: child)
            resolve(2, in: child)
            resolve(2)
            register(3, in: child)
            resolve(3, in: child)
            #expect(ends.current == [])
        }
        #expect(ends.current == [3, 2])
        container.removeAll()
        #expect(ends.current == [3, 2, 2, 1])
    }

    @Test func hooksMayUseTheContainer() {
        let container = container
        let ends = ends
        container.register("still here", for: String.self)
        for number in 0..<3 {
            container.register(Tracked.self) { [tracker] _ in
                tracker.make(number)
            } onDispose: { service in
                #expect(container.resolve(String.self) == "still here")
                container.remove(container.register(service.number, for: Int.self))
                container.register(Tracked.self, named: "kept", lifetime: .eager) { _ in service }
                ends.withLock { $0.append(service.number) }
            }
        }
        _ = container.resolveAll(Tracked.self)
        container.register(tracker.make(), for: Tracked.self, replacing: true)
        #expect(eventually { ends.current.sorted() == [0, 1, 2] })
        #expect(container.resolveAll(Tracked.self, named: "kept").count == 3)
        // The services retain their container.
        container.removeAll()
    }

    @Test func hookMayRemoveAnotherRegistration() {
        let container = container
        let next = Locked<ServiceRegistration<Tracked>?>(nil)
        for number in 0..<50 {
            let before = Locked(next.current)
            let token = container.register(Tracked.self, named: DependencyName("\(number)")) { [tracker] _ in
                tracker.make(number)
            } onDispose: { [ends] service in
                ends.withLock { $0.append(service.number) }
                before.take().map(container.remove)
            }
            resolve(number)
            next.withLock { $0 = token }
        }
        next.take().map(container.remove)
        #expect(ends.current == (0..<50).reversed())
    }

    @Test func hookThatThrowsDoesNotStopTheOthers() {
        for number in 0..<5 {
            container.register(Tracked.self, named: DependencyName("\(number)")) { [tracker] _ in
                tracker.make(number)
            } onDispose: { [ends] service in
                ends.withLock { $0.append(service.number) }
                throw Refusal.first
            }
            resolve(number)
        }
        container.removeAll()
        #expect(ends.current == [4, 3, 2, 1, 0])
    }

    @Test func anInstanceWhoseCreationFailsIsDisposedOfOnce() {
        container.register(Tracked.self) { [tracker] _ in
            tracker.make()
        } afterCreation: { _, _ in
            throw Refusal.first
        } onDispose: { [ends] _ in
            ends.withLock { $0.append(1) }
        }
        #expect(failure { () throws(DependencyError) in try container.require(Tracked.self) } != nil)
        #expect(ends.current == [1] && tracker.live == 0)
        container.removeAll()
        #expect(ends.current == [1])
    }

    private protocol Label: Sendable {}
    private struct Text: Label {}

    /// A weak service cannot be a value, which is found when its group hands it out: the instances before it have been handed out, and those
    /// after it fail.
    @Test func aRefusedInstanceOfAGroupEndsThoseAfterIt() {
        container.register((any Label).self, lifetime: .weak) { _ in Text() }
        register(2)
        container.register(Tracked.self, named: "1") { [tracker] _ in
            tracker.make(1)
        } afterCreation: { _, container in
            _ = try container.require((any Label).self)
            _ = try container.require(Tracked.self, named: "2")
        } onDispose: { [ends] service in
            ends.withLock { $0.append(service.number) }
        }
        let first = resolve(1)
        #expect(ends.current == [2] && tracker.live == 1)
        #expect(resolve(1) === first)
        let error = failure { () throws(DependencyError) in _ = try container.require((any Label).self) }
        #expect(error?.reason == .invalid)
        resolve(2)
        #expect(tracker.made == 3)
        container.removeAll()
        #expect(ends.current == [2, 2, 1])
    }

    @Test(arguments: threadCounts)
    func concurrentRemovalsRunTheHookOnce(threads: Int) {
        for _ in 0..<rounds(200) {
            let container = DependencyContainer()
            let ends = Locked(0)
            let token = container.register(Int.self) { _ in
                1
            } onDispose: { _ in
                ends.withLock { $0 += 1 }
            }
            _ = container.resolve(Int.self)
            runThreads(threads) { index in
                switch index % 3 {
                case 0: container.remove(token)
                case 1: container.removeAll()
                default: container.register(2, for: Int.self, replacing: true)
                }
            }
            check(eventually { ends.current == 1 })
        }
    }

    @Test func registrationRemovedDuringCreationIsDisposedOfOnce() {
        let (isCreating, isRemoved) = (Signal(), Signal())
        do {
            let container = DependencyContainer()
            let token = container.register(Int.self) { _ in
                isCreating.raise()
                #expect(isRemoved.wait())
                return 7
            } onDispose: { [ends] number in
                ends.withLock { $0.append(number) }
            }
            let asker = RealThread { #expect(container.resolve(Int.self) == 7) }
            #expect(isCreating.wait())
            container.remove(token)
            isRemoved.raise()
            asker.join()
        }
        #expect(ends.current == [7])
    }

    @Test func hooksAreRefusedForInstancesThatTheContainerDoesNotOwn() {
        let container = container
        for lifetime in [Lifetime.transient, .weak, .graph] {
            let error = trap {
                container.register(Tracked.self, lifetime: lifetime) { _ in
                    throw Refusal.first
                } onDispose: { _ in
                }
            }
            #expect(error?.reason == .invalid)
            #expect(error?.description.contains("DisposalTests.swift") == true)
            #expect(
                error?.description.contains("the lifetime '\(lifetime)', whose instances the container does not own")
                    == true)
            let asynchronous = trap {
                container.register(Tracked.self, lifetime: lifetime) { _ in
                    throw Refusal.first
                } onAsyncDispose: { _ in
                }
            }
            #expect(asynchronous?.reason == .invalid)
        }
        let arguments = trap {
            container.register(Int.self) { (_, number: Int) in
                number
            } onDispose: { _ in
            }
        }
        #expect(arguments?.reason == .invalid)
        #expect(!container.canResolve(Tracked.self))
    }

    @Test func synchronousRemovalStartsTheAsynchronousHook() async {
        let isOver = Signal()
        let token = container.register(Int.self) { _ in
            7
        } onAsyncDispose: { [ends] number in
            await Task.yield()
            ends.withLock { $0.append(number) }
            isOver.raise()
        }
        _ = container.resolve(Int.self)
        container.remove(token)
        #expect(await isOver.wait())
        #expect(await eventually { ends.current == [7] })
    }

    @Test func completionAllowsMutualReferences() {
        final class Node: @unchecked Sendable {
            weak var other: Node?
            var strong: Node?
        }
        container.register(Node.self, named: "a") { _ in
            Node()
        } afterCreation: { node, container in
            node.other = container.resolve(Node.self, named: "b")
            #expect(container.resolve(Node.self, named: "a") === node)
        }
        container.register(Node.self, named: "b") { container in
            let node = Node()
            node.strong = container.resolve(Node.self, named: "a")
            return node
        }
        let a = container.resolve(Node.self, named: "a")
        let b = container.resolve(Node.self, named: "b")
        #expect(a.other === b && b.strong === a)
    }

    @Test func completionClosesACycleFromEitherEnd() {
        final class Node: @unchecked Sendable { weak var other: Node? }
        for name in ["a", "b"] as [DependencyName] {
            container.register(Node.self, named: name) { _ in
                Node()
            } afterCreation: { node, container in
                node.other = container.resolve(Node.self, named: name == "a" ? "b" : "a")
            }
        }
        let b = container.resolve(Node.self, named: "b")
        #expect(b.other === container.resolve(Node.self, named: "a"))
        #expect(b.other?.other === b)
    }

    @Test(arguments: threadCounts)
    func otherThreadsNeverSeeAnIncompleteInstance(threads: Int) {
        for _ in 0..<rounds(50) {
            let container = DependencyContainer()
            container.register(Locked<Bool>.self) { _ in
                Locked(false)
            } afterCreation: { service, container in
                Thread.sleep(forTimeInterval: 0.0001)
                service.withLock { $0 = true }
            }
            let seen = race(threads) { _ in container.resolve(Locked<Bool>.self).current }
            check(seen.allSatisfy { $0 })
        }
    }

    @Test func throwingCompletionLeavesNothing() {
        let attempts = Locked(0)
        container.register(Tracked.self) { [tracker] _ in
            tracker.make()
        } afterCreation: { _, _ in
            try attempts.withLock { attempts in
                attempts += 1
                if attempts == 1 { throw Refusal.second }
            }
        }
        let error = failure { () throws(DependencyError) in try container.require(Tracked.self) }
        #expect(error?.underlying as? Refusal == .second)
        #expect(tracker.live == 0)
        _ = container.resolve(Tracked.self)
        #expect(tracker.made == 2 && tracker.live == 1)
    }
}
