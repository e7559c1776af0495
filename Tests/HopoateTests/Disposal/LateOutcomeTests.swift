import Foundation
import Hopoate
import Testing

/// An instance that is created too late is not stored and is disposed of: its creation was abandoned, its scope reset, its
/// registration removed, or its container shut down.
@Suite(.mayBlock) struct LateOutcomeTests {
    let container = DependencyContainer()
    let tracker = Tracker()

    // MARK: - Abandoned creations

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    @Test func abandonedCreationDoesNotReplaceTheOneAfterIt() async throws {
        let (container, tracker) = (container, tracker)
        let calls = Locked(0)
        let disposed = Locked<[Int]>([])
        let (first, goOn) = (AsyncSignal(), AsyncSignal())
        container.register(Tracked.self) { container async in
            let number = calls.next()
            if number == 1 {
                // A failed resolve call in a task of the factory parks its thread, so the creation is abandoned.
                await abandon { _ = container.resolve(Int.self) }
                await goOn.wait()
            }
            return tracker.make(number)
        } onDispose: { service in
            disposed.withLock { $0.append(service.number) }
            first.raise()
        }
        let error = await failure { () async throws(DependencyError) in try await container.asyncResolve(Tracked.self) }
        #expect(error?.reason == .notRegistered)
        #expect(try await container.asyncResolve(Tracked.self).number == 2)
        goOn.raise()
        await first.wait()
        #expect(disposed.current == [1])
        #expect(container.resolve(Tracked.self).number == 2)
        #expect(container.resolve(Tracked.self).isIntact)
        #expect(await eventually { tracker.live == 1 })
    }

    /// Resolves a missing service in a task of the current creation, on a thread that the failure handler parks forever.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    private func abandon(_ mistake: @escaping @Sendable () -> Void) async {
        let isParked = AsyncSignal()
        let handler: @Sendable (DependencyError) -> Void = { _ in
            isParked.raise()
            while true { Thread.sleep(forTimeInterval: 3600) }
        }
        Task(executorPreference: ThreadExecutor.shared) {
            DependencyContainer.withFailureHandler(handler, operation: mistake)
        }
        await isParked.wait()
    }

    // MARK: - Removed registrations

    @Test func serviceThatIsRemovedByItsOwnFactoryIsDisposedOf() {
        let container = container
        let token = Locked<ServiceRegistration<Tracked>?>(nil)
        let disposed = Locked(0)
        for _ in 0..<100 {
            let registration = container.register(Tracked.self) { [tracker] container in
                if let registration = token.take() { container.remove(registration) }
                return tracker.make()
            } onDispose: { _ in
                disposed.withLock { $0 += 1 }
            }
            token.withLock { $0 = registration }
            _ = container.resolve(Tracked.self)
            #expect(!container.canResolve(Tracked.self))
        }
        #expect(disposed.current == 100)
        expectGone(tracker)
    }

    @Test(arguments: ["remove", "overwrite", "removeAll", "shutdown"])
    func serviceRemovedDuringItsCreationIsDisposedOfOnce(change: String) {
        for _ in 0..<rounds(500) {
            let container = DependencyContainer()
            let disposed = Locked(0)
            let made = Locked(0)
            let token = container.register(Tracked.self) { [tracker] _ in
                made.withLock { $0 += 1 }
                return tracker.make()
            } onDispose: { _ in
                disposed.withLock { $0 += 1 }
            }
            runThreads(2) { [tracker] index in
                if index == 0 {
                    _ = try? container.require(Tracked.self)
                    return
                }
                switch change {
                case "remove": container.remove(token)
                case "overwrite":
                    container.register(tracker.make(), for: Tracked.self, replacing: true)
                case "removeAll": container.removeAll()
                default: try? container.shutdownWithoutAwaitingHooks()
                }
            }
            check(eventually { disposed.current == made.current })
        }
        expectGone(tracker)
    }

    @Test func hookOfALateServiceMayResolveItAgain() {
        let container = container
        container.register(Int.self) { _ in 1 }
        let token = Locked<ServiceRegistration<Int>?>(nil)
        let seen = Locked<[Int]>([])
        let registration = container.register(Int.self) { container in
            if let registration = token.take() { container.remove(registration) }
            return 2
        } onDispose: { _ in
            seen.withLock { $0.append(container.resolve(Int.self)) }
        }
        token.withLock { $0 = registration }
        #expect(container.resolve(Int.self) == 2)
        #expect(seen.current == [1])
    }

    // MARK: - Reset scopes

    @Test func serviceWhoseScopeIsResetDuringItsCreationIsNotFoundAgain() {
        let scope = DependencyScope("scope")
        let disposed = Locked<[Int]>([])
        let calls = Locked(0)
        container.register(Tracked.self, lifetime: .cached(in: scope)) { [tracker] _ in
            let number = calls.next()
            if number == 1 { scope.reset() }
            return tracker.make(number)
        } onDispose: { service in
            disposed.withLock { $0.append(service.number) }
        }
        #expect(container.resolve(Tracked.self).number == 1)
        #expect(disposed.current == [1])
        #expect(tracker.live == 0)
        #expect(container.resolve(Tracked.self).number == 2)
        #expect(container.resolve(Tracked.self).number == 2)
        #expect(disposed.current == [1])
    }

    @Test func resetsThatRaceWithCreationsDisposeOfEachInstanceOnce() {
        let scope = DependencyScope("scope")
        let (made, disposed) = (Locked(0), Locked(0))
        container.register(Tracked.self, lifetime: .cached(in: scope)) { [tracker] _ in
            made.withLock { $0 += 1 }
            return tracker.make()
        } onDispose: { _ in
            disposed.withLock { $0 += 1 }
        }
        runThreads(4) { [container] index in
            for _ in 0..<rounds(1000) {
                if index == 0 { scope.reset() } else { _ = container.resolve(Tracked.self) }
            }
        }
        scope.reset()
        #expect(disposed.current == made.current)
        expectGone(tracker)
    }
}
