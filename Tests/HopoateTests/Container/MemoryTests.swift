#if compiler(>=6.2)
    import Foundation
    import Hopoate
    import Testing

    // Each test runs in a process of its own, because it checks an immediate release. In the shared test process, borrows of
    // other tests defer releases.

    /// The moment at which services are released.
    @Suite(.mayBlock) struct MemoryTests {
        @Test func removedServiceIsGoneWhenRemoveReturns() async {
            await #expect(processExitsWith: .success) {
                let tracker = Tracker()
                let container = DependencyContainer()
                for isCovered in [false, true] {
                    let token = Locked<ServiceRegistration<Tracked>?>(nil)
                    token.withLock { $0 = container.register(tracker.make(), for: Tracked.self) }
                    if isCovered { container.register(tracker.make(), for: Tracked.self) }
                    token.take().map(container.remove)
                    #expect(tracker.live == (isCovered ? 1 : 0))
                }
            }
        }

        @Test func tokenKeepsItsServiceAlive() async {
            await #expect(processExitsWith: .success) {
                let tracker = Tracker()
                let container = DependencyContainer()
                let token = Locked<ServiceRegistration<Tracked>?>(nil)
                token.withLock { $0 = container.register(tracker.make(), for: Tracked.self) }
                container.remove(token.current!)
                #expect(tracker.live == 1)
                container.remove(token.current!)
                #expect(tracker.live == 1)
                _ = token.take()
                #expect(tracker.live == 0)
            }
        }

        @Test func droppedTokenDoesNotRemove() async {
            await #expect(processExitsWith: .success) {
                let tracker = Tracker()
                let container = DependencyContainer()
                container.register(tracker.make(3), for: Tracked.self)
                #expect(tracker.live == 1)
                #expect(container.resolve(Tracked.self).number == 3)
                container.removeAll()
                #expect(tracker.live == 0)
            }
        }

        @Test func overwrittenServicesAreGoneWhenOverwriteReturns() async {
            await #expect(processExitsWith: .success) {
                let tracker = Tracker()
                let container = DependencyContainer()
                for count in 1...5 {
                    for _ in 0..<count { container.register(tracker.make(), for: Tracked.self) }
                    container.register(tracker.make(9), for: Tracked.self, replacing: true)
                    #expect(tracker.live == 1)
                }
            }
        }

        @Test func droppedContainerDropsEverything() async {
            await #expect(processExitsWith: .success) {
                struct Register: TypeVisitor {
                    let container: DependencyContainer
                    let tracker: Tracker
                    func visit<Parameter>(_ type: Parameter.Type, number: Int) {
                        container.register(Tag<Parameter>(tracked: tracker.make()), for: Tag<Parameter>.self)
                        let context = tracker.make()
                        container.hopoate1.register(service: Tag<Parameter>.self, cacheService: false) {
                            Tag(tracked: context)
                        }
                    }
                }
                let tracker = Tracker()
                do {
                    let container = DependencyContainer()
                    // Many types, and one type with many registrations.
                    visitTypes(500, Register(container: container, tracker: tracker))
                    for _ in 0..<1000 { container.register(tracker.make(), for: Tracked.self) }
                    #expect(tracker.live == 2000)
                }
                #expect(tracker.live == 0)
            }
        }

        @Test func cachedFactoryIsReleasedInsideRegister() async {
            await #expect(processExitsWith: .success) {
                let tracker = Tracker()
                let container = DependencyContainer()
                func register() {
                    let context = tracker.make(5)
                    container.hopoate1.register(service: Int.self, cacheService: true) { context.number }
                    container.hopoate1.overwriteExistingRegistrations(service: String.self, cacheService: true) {
                        "\(context.number)"
                    }
                }
                register()
                #expect(tracker.live == 0)
                #expect(container.resolve(Int.self) == 5)
            }
        }

        @Test func uncachedFactoryIsReleasedWithItsRegistration() async {
            await #expect(processExitsWith: .success) {
                let tracker = Tracker()
                let container = DependencyContainer()
                func register() -> ServiceRegistration<Int> {
                    let context = tracker.make(5)
                    return container.hopoate1.register(service: Int.self, cacheService: false) { context.number }
                }
                let token = Locked<ServiceRegistration<Int>?>(register())
                #expect(container.resolve(Int.self) == 5)
                #expect(tracker.live == 1)
                token.take().map(container.remove)
                #expect(tracker.live == 0)
            }
        }

        @Test func serviceRemovedDuringABorrowIsReleasedAfterTheClosure() async {
            await #expect(processExitsWith: .success) {
                let tracker = Tracker()
                let container = DependencyContainer()
                let token = Locked<ServiceRegistration<Tracked>?>(nil)
                for isNested in [false, true] {
                    token.withLock { $0 = container.register(tracker.make(), for: Tracked.self) }
                    container.withService(Tracked.self) { service in
                        if isNested {
                            container.withService(Tracked.self) { _ in token.take().map(container.remove) }
                        } else {
                            token.take().map(container.remove)
                        }
                        #expect(service.isIntact && tracker.live == 1)
                    }
                    #expect(tracker.live == 0)
                    #expect(!container.canResolve(Tracked.self))
                }
            }
        }

        @Test func serviceOverwrittenInAThrowingClosureIsReleasedAfterIt() async {
            await #expect(processExitsWith: .success) {
                let tracker = Tracker()
                let container = DependencyContainer()
                container.register(tracker.make(1), for: Tracked.self)
                #expect(throws: Refusal.first) {
                    try container.withService(Tracked.self) { service in
                        container.register(tracker.make(2), for: Tracked.self, replacing: true)
                        #expect(service.isIntact && tracker.live == 2)
                        throw Refusal.first
                    }
                }
                #expect(tracker.live == 1)
                #expect(container.resolve(Tracked.self).number == 2)
            }
        }

        @Test func removalReturnsAtOnceAndDefersItsReleaseToABorrowOnAnotherThread() async {
            await #expect(processExitsWith: .success) {
                let tracker = Tracker()
                let container = DependencyContainer()
                let (isBorrowed, isRemoved) = (Signal(), Signal())
                container.register(tracker.make(1), for: Tracked.self)
                let borrower = RealThread {
                    container.withService(Tracked.self) { service in
                        isBorrowed.raise()
                        #expect(isRemoved.wait())
                        #expect(service.isIntact)
                        #expect(tracker.live == 1)
                    }
                    #expect(tracker.live == 0)
                }
                #expect(await isBorrowed.wait())
                container.removeAll()
                #expect(tracker.live == 1)
                isRemoved.raise()
                await borrower.join()
                #expect(tracker.live == 0)
            }
        }

        @Test func containerDoesNotKeepItselfAlive() async {
            await #expect(processExitsWith: .success) {
                let tracker = Tracker()
                do {
                    let container = DependencyContainer()
                    container.register(tracker.make(), for: Tracked.self)
                    _ = container.resolve(Tracked.self)
                    _ = container.makeChild().resolve(Tracked.self)
                    let wrapper = Dependency<Tracked>(container: container)
                    _ = wrapper.wrappedValue
                    container.withService(Tracked.self) { _ in }
                    #expect(tracker.live == 1)
                }
                #expect(tracker.live == 0)
            }
        }

        @Test func wrapperCostsOneAllocation() async {
            await #expect(processExitsWith: .success) {
                let container = DependencyContainer()
                container.register(7, for: Int.self)
                let count = 1000
                var wrappers: [Dependency<Int>] = []
                wrappers.reserveCapacity(count)
                // The first wrapper pays for one-time initialization.
                _ = Dependency<Int>(container: container).wrappedValue
                let before = allocatedBytes()
                for _ in 0..<count { wrappers.append(Dependency(container: container)) }
                let made = allocatedBytes() - before
                for wrapper in wrappers { _ = wrapper.wrappedValue }
                let filled = allocatedBytes() - before
                for wrapper in wrappers { wrapper.wrappedValue = 8 }
                let assigned = allocatedBytes() - before
                #expect(MemoryLayout<Dependency<Int>>.size == MemoryLayout<UnsafeRawPointer>.size)
                let cell = unsafeBitCast(wrappers[0], to: UnsafeRawPointer.self)
                // Exactly one block of this size each, which some allocators round up. A second block would have a header of two
                // words and a content.
                let expected = count * allocatedBytes(at: cell)
                for bytes in [made, filled, assigned] {
                    #expect(abs(bytes - expected) < count * 16, "\(bytes) bytes instead of \(expected)")
                }
            }
        }
    }
#endif
