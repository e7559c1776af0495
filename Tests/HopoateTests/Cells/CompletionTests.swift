import Foundation
import Hopoate
import Testing

/// The service that gets its partner in the initializer.
private final class Driver: @unchecked Sendable {
    let car: Car
    let tracked: Tracked
    init(car: Car, tracked: Tracked) {
        self.car = car
        self.tracked = tracked
    }
}

/// The service that gets its partner in its completion.
private final class Car: @unchecked Sendable {
    // Written once, in the completion.
    weak var driver: Driver?
    let tracked: Tracked
    /// Whether the completion has run.
    let isComplete = Locked(false)
    init(tracked: Tracked) { self.tracked = tracked }
}

private let lifetimes: [String: Lifetime] = [
    "singleton": .singleton, "scoped": .scoped, "graph": .graph, "weak": .weak,
    "cached": .cached(in: DependencyScope("test")),
]

/// Completions (`afterCreation`) run at the end of the outermost creation, so services may need each other.
@Suite(.mayBlock) struct CompletionTests {
    let container = DependencyContainer()
    let drivers: Tracker
    let cars: Tracker

    init() { self.init(drivers: Tracker(), cars: Tracker()) }

    private init(drivers: Tracker, cars: Tracker) {
        self.drivers = drivers
        self.cars = cars
    }

    private func registerPair(
        in container: DependencyContainer, _ driverLifetime: Lifetime = .singleton, _ carLifetime: Lifetime = .singleton
    ) {
        container.register(Driver.self, lifetime: driverLifetime) { [drivers] container in
            Driver(car: try container.require(Car.self), tracked: drivers.make())
        }
        container.register(Car.self, lifetime: carLifetime) { [cars] _ in
            Car(tracked: cars.make())
        } afterCreation: { car, container in
            car.driver = try container.require(Driver.self)
            car.isComplete.withLock { $0 = true }
        }
    }

    // MARK: - Cycles through a property

    @Test(arguments: ["singleton", "scoped", "graph", "weak", "cached"], [true, false])
    func cycleThroughAPropertyIsClosedFromBothSides(name: String, driverFirst: Bool) throws {
        registerPair(in: container, lifetimes[name]!, lifetimes[name]!)  // The keys are the names above.
        if driverFirst {
            let driver = try container.require(Driver.self)
            #expect(driver.car.driver === driver)
            #expect(driver.car.isComplete.current)
        } else {
            let car = try container.require(Car.self)
            // A car refers weakly to its driver, so that of a lifetime without an owner may be gone.
            if let driver = car.driver { #expect(driver.car === car) }
            #expect(car.isComplete.current)
        }
        #expect(drivers.made == 1 && cars.made == 1)
    }

    @Test(arguments: ["singleton", "scoped", "cached"])
    func transientServiceTakesPartInACycle(name: String) throws {
        let lifetime = lifetimes[name]!  // The keys are the names above.
        registerPair(in: container, .transient, lifetime)
        let driver = try container.require(Driver.self)
        #expect(driver.car === container.resolve(Car.self))
        #expect(driver.car.isComplete.current)
        let other = DependencyContainer()
        registerPair(in: other, lifetime, .transient)
        let owner = try other.require(Driver.self)
        #expect(owner.car.driver === owner)
        #expect(try other.require(Car.self).driver === owner)
    }

    @Test func eachChildHasItsOwnCycle() throws {
        registerPair(in: container, .scoped, .scoped)
        let children = [container.makeChild(), container.makeChild()]
        let found = try children.map { try $0.require(Driver.self) }
        #expect(found[0] !== found[1])
        for (child, driver) in zip(children, found) {
            #expect(driver.car.driver === driver)
            #expect(child.resolve(Car.self) === driver.car)
        }
    }

    @Test func keyedServicesMayFormACycle() throws {
        final class Page: @unchecked Sendable {
            let number: Int
            var next: Page?
            init(_ number: Int) { self.number = number }
        }
        container.register(Page.self, lifetime: .keyed) { (_, number: Int) in
            Page(number)
        } afterCreation: { page, container in
            page.next = try container.require(Page.self, arguments: (page.number + 1) % 3)
        }
        let page = try container.require(Page.self, arguments: 1)
        #expect(page.next?.next?.next === page)
        #expect(try container.require(Page.self, arguments: 2) === page.next)
        page.next?.next?.next = nil
    }

    @Test func cycleInTheInitializersIsReported() {
        registerPair(in: container)
        container.register(Car.self) { [cars] container in
            _ = try container.require(Driver.self)
            return Car(tracked: cars.make())
        }
        let error = failure { () throws(DependencyError) in try container.require(Driver.self) }
        #expect(error?.reason == .circular)
        #expect(error?.chain.count == 3)
    }

    @Test func cycleOfTransientServicesIsReported() {
        registerPair(in: container, .transient, .transient)
        for _ in 0..<2 {
            let error = failure { () throws(DependencyError) in try container.require(Driver.self) }
            #expect(error?.reason == .circular)
            #expect(error.map { Set($0.chain).count } == 2)
        }
    }

    // MARK: - Order

    /// Each instance has a completion that resolves another one. They run after the factories have returned, so no frame shows the cycle.
    @Test func transientServiceThatItsCompletionNeedsIsReported() {
        container.register(Tracked.self, lifetime: .transient) { [drivers] _ in
            drivers.make()
        } afterCreation: { _, container in
            // Twice, so that the number of instances would double with each step.
            _ = try container.require(Tracked.self)
            _ = try container.require(Tracked.self)
        }
        container.register(Int.self) { container in try container.require(Tracked.self).number }
        for isOutermost in [true, false] {
            let error = failure { () throws(DependencyError) in
                if isOutermost { _ = try container.require(Tracked.self) } else { _ = try container.require(Int.self) }
            }
            #expect(error?.reason == .circular)
            #expect(error?.chain.count == 2)
        }
        expectGone(drivers)
    }

    /// Frames of the service are no completions of it: those of its decorators, and of a factory that ends by itself.
    @Test func completionInsideManyFactoriesOfItsServiceRuns() throws {
        let depth = 20
        let (completed, left) = (Locked(0), Locked(depth))
        container.register(Tracked.self, lifetime: .transient) { [drivers] container in
            let rest = left.withLock { left in
                left -= 1
                return left
            }
            if rest > 0 { _ = try container.require(Tracked.self) }
            return drivers.make()
        } afterCreation: { _, _ in
            _ = completed.next()
        }
        container.register(String.self) { container in "\(try container.require(Tracked.self).number)" }
        _ = try container.require(String.self)
        #expect(completed.current == depth)
        for _ in 0..<depth { container.decorate(Tracked.self) { inner, _ in inner } }
        container.register(Bool.self) { container in try container.require(Tracked.self).isIntact }
        #expect(try container.require(Bool.self))
        #expect(completed.current == depth + 1)
    }

    @Test func completionsRunInTheOrderOfCreationWhenAllInstancesExist() {
        let events = Locked<[String]>([])
        for (name, inner) in [("a", "b"), ("b", "c"), ("c", nil)] as [(DependencyName, DependencyName?)] {
            container.register(Int.self, named: name) { container in
                if let inner { _ = container.resolve(Int.self, named: inner) }
                events.withLock { $0.append("make \(name)") }
                return 1
            } afterCreation: { _, _ in
                events.withLock { $0.append("complete \(name)") }
            }
        }
        _ = container.resolve(Int.self, named: "a")
        #expect(events.current == ["make c", "make b", "make a", "complete c", "complete b", "complete a"])
    }

    @Test func completionOfATransientServiceRunsAtTheEndToo() {
        let events = Locked<[String]>([])
        container.register(Int.self, lifetime: .transient) { _ in
            1
        } afterCreation: { _, _ in
            events.withLock { $0.append("complete") }
        }
        container.register(String.self) { container in
            _ = container.resolve(Int.self)
            events.withLock { $0.append("make") }
            return ""
        }
        _ = container.resolve(String.self)
        #expect(events.current == ["make", "complete"])
        _ = container.resolve(Int.self)
        #expect(events.current == ["make", "complete", "complete"])
    }

    @Test func completionSeesTheObjectGraphOfItsService() throws {
        final class Part: Sendable {}
        final class Whole: @unchecked Sendable {
            let car: Car
            let part: Part
            init(car: Car, part: Part) {
                self.car = car
                self.part = part
            }
        }
        let seen = Locked<Part?>(nil)
        container.register(Part.self, lifetime: .graph) { _ in Part() }
        container.register(Car.self, lifetime: .graph) { [cars] _ in
            Car(tracked: cars.make())
        } afterCreation: { _, container in
            let part = try container.require(Part.self)
            seen.withLock { $0 = part }
        }
        container.register(Whole.self, lifetime: .graph) { container in
            Whole(car: try container.require(Car.self), part: try container.require(Part.self))
        }
        let whole = try container.require(Whole.self)
        #expect(seen.current === whole.part)
    }

    @Test func completionOfASingletonRunsInTheContextOfItsOwner() throws {
        let child = container.makeChild()
        let parent = container
        container.register(Car.self) { [cars] _ in
            Car(tracked: cars.make())
        } afterCreation: { _, container in
            #expect(container === parent)
            #expect(DependencyContainer.shared === parent)
            #expect(Request.id == 0)
        }
        child.register(Driver.self) { [drivers] container in
            Driver(car: try container.require(Car.self), tracked: drivers.make())
        } afterCreation: { _, container in
            #expect(DependencyContainer.shared === container)
            #expect(Request.id == 0)
        }
        try Request.$id.withValue(7) { _ = try child.require(Driver.self) }
    }

    private enum Request {
        @TaskLocal static var id = 0
    }

    // MARK: - Failures

    @Test func throwingCompletionFailsAllInstancesOfTheCreation() throws {
        let disposed = Locked<[String]>([])
        let attempts = Locked(0)
        container.register(Car.self) { [cars] _ in
            Car(tracked: cars.make())
        } afterCreation: { _, _ in
            if attempts.next() == 1 { throw Refusal.first }
        } onDispose: { _ in
            disposed.withLock { $0.append("car") }
        }
        container.register(Driver.self) { [drivers] container in
            Driver(car: try container.require(Car.self), tracked: drivers.make())
        } onDispose: { _ in
            disposed.withLock { $0.append("driver") }
        }
        let error = failure { () throws(DependencyError) in try container.require(Driver.self) }
        #expect(error?.underlying as? Refusal == .first)
        #expect(error?.chain == ["HopoateTests.Driver", "HopoateTests.Car"])
        // Both factories have returned. Whether the instances were complete does not matter.
        #expect(disposed.current == ["driver", "car"])
        expectGone(cars)
        let driver = try container.require(Driver.self)
        #expect(container.resolve(Car.self) === driver.car)
        #expect(drivers.made == 2 && cars.made == 2)
    }

    /// Registers a driver with a factory that throws at the first attempt, after it has got the car, and makes this attempt.
    private func failOnceToMakeADriver(_ attempts: Locked<Int>) {
        container.register(Driver.self, replacing: true) { [drivers] container in
            let car = try container.require(Car.self)
            if attempts.next() == 1 { throw Refusal.second }
            return Driver(car: car, tracked: drivers.make())
        }
        let error = failure { () throws(DependencyError) in try container.require(Driver.self) }
        #expect(error?.underlying as? Refusal == .second)
    }

    @Test func instancesInsideAFailedCreationAreCompletedAndKept() throws {
        let attempts = Locked(0)
        container.register(Car.self) { [cars] _ in
            Car(tracked: cars.make())
        } afterCreation: { car, _ in
            car.isComplete.withLock { $0 = true }
        }
        failOnceToMakeADriver(attempts)
        #expect(cars.made == 1 && cars.live == 1)
        let car = container.resolve(Car.self)
        #expect(car.isComplete.current)
        #expect(try container.require(Driver.self).car === car)
        #expect(cars.made == 1)
    }

    @Test func completionMayCreateTheServiceWhoseCreationFailed() throws {
        let attempts = Locked(0)
        registerPair(in: container)
        failOnceToMakeADriver(attempts)
        // The completion of the car resolved the driver once more.
        let driver = container.resolve(Driver.self)
        #expect(driver.car.driver === driver)
        #expect(attempts.current == 2 && cars.made == 1)
    }

    @Test func shutdownDuringTheCreationRefusesPendingInstances() {
        let disposed = Locked(0)
        container.register(Car.self) { [cars] _ in
            Car(tracked: cars.make())
        } afterCreation: { _, _ in
        } onDispose: { _ in
            disposed.withLock { $0 += 1 }
        }
        container.register(Driver.self) { [drivers] container in
            let car = try container.require(Car.self)
            try container.shutdownWithoutAwaitingHooks()
            return Driver(car: car, tracked: drivers.make())
        } onDispose: { _ in
            disposed.withLock { $0 += 1 }
        }
        let error = failure { () throws(DependencyError) in try container.require(Driver.self) }
        #expect(error?.reason == .shutDown)
        #expect(disposed.current == 2)
        expectGone(cars)
        expectGone(drivers)
    }

    /// A child that was made before the registration has no slot for the instance, and stores it in its table.
    @Test(arguments: [true, false])
    func shutdownInADecoratorRefusesPendingInstancesAfterTheirCompletions(hasSlot: Bool) {
        let events = Locked<[String]>([])
        let early = hasSlot ? nil : container.makeChild()
        container.register(Car.self, lifetime: .scoped) { [cars] _ in
            Car(tracked: cars.make())
        } afterCreation: { _, _ in
            events.withLock { $0.append("completion") }
        }
        container.decorate(Car.self) { car, container in
            events.withLock { $0.append("inner decorator") }
            try container.shutdownWithoutAwaitingHooks()
            return car
        }
        container.decorate(Car.self) { car, _ in
            events.withLock { $0.append("outer decorator") }
            return car
        }
        let child = early ?? container.makeChild()
        let error = failure { () throws(DependencyError) in try child.require(Car.self) }
        #expect(error?.reason == .shutDown)
        #expect(events.current == ["inner decorator", "outer decorator", "completion"])
        expectGone(cars)
    }

    @Test func failedCycleOfKeyedServicesLeavesNothing() {
        container.register(Tracked.self, lifetime: .keyed) { [cars] (_, number: Int) in
            cars.make(number)
        } afterCreation: { service, container in
            if service.number == 9 { throw Refusal.first }
            _ = try container.require(Tracked.self, arguments: service.number + 1)
        }
        for _ in 0..<3 {
            #expect(failure { () throws(DependencyError) in try container.require(Tracked.self, arguments: 0) } != nil)
            #expect(cars.live == 0)
        }
        #expect(container.registrations.allSatisfy { !$0.exists })
    }

    // MARK: - Threads

    @Test(arguments: [2, 3, 8])
    func threadsThatRaceForACycleGetOnePair(threads: Int) {
        for _ in 0..<rounds(300) {
            let container = DependencyContainer()
            let (drivers, cars) = (Tracker(), Tracker())
            CompletionTests(drivers: drivers, cars: cars).registerPair(in: container)
            let found = race(threads) { index -> (Driver?, Car?, Bool) in
                if index % 2 == 0 {
                    let driver = try? container.require(Driver.self)
                    return (driver, driver?.car, driver?.car.isComplete.current ?? false)
                }
                let car = try? container.require(Car.self)
                return (car?.driver, car, car?.isComplete.current ?? false)
            }
            check(found.allSatisfy { $0.2 && $0.0 != nil && $0.0?.car === $0.1 && $0.1?.driver === $0.0 })
            check(Set(found.map { $0.0.map(ObjectIdentifier.init) }).count == 1)
            check(drivers.made == 1 && cars.made == 1)
        }
    }

    /// Each of several services takes the next one in its factory, and the one before in its completion.
    @Test(arguments: [2, 3, 5])
    func threadsThatRaceForARingGetOneRing(threads: Int) {
        final class Link: @unchecked Sendable {
            // Written once, in the completion.
            weak var next: Link?
            weak var previous: Link?
        }
        let names = (0..<5).map { DependencyName("\($0)") }
        for round in 0..<rounds(200) {
            let container = DependencyContainer()
            for index in 0..<5 {
                container.register(Link.self, named: names[index]) { container in
                    let link = Link()
                    if index < 4 { link.next = try container.require(Link.self, named: names[index + 1]) }
                    return link
                } afterCreation: { link, container in
                    if index == 4 { link.next = try container.require(Link.self, named: names[0]) }
                    link.previous = try container.require(Link.self, named: names[(index + 4) % 5])
                }
            }
            let found = race(threads) { index in
                try? container.require(Link.self, named: names[(index * 2 + round) % 5])
            }
            for link in found {
                check(link != nil)
                check(link?.next?.next?.next?.next?.next === link)
                check(link?.next?.previous === link)
            }
        }
    }

    @Test func otherThreadsWaitForTheOutermostCreation() {
        let container = container
        let (isPending, isWaiting) = (Signal(), Signal())
        final class Garage: Sendable {
            let car: Car
            init(car: Car) { self.car = car }
        }
        registerPair(in: container)
        container.register(Garage.self) { container in Garage(car: try container.require(Car.self)) }
        container.register(Driver.self, replacing: true) { [drivers] container in
            let car = try container.require(Car.self)
            // Without a completion, but it refers to the car.
            let garage = try container.require(Garage.self)
            isPending.raise()
            #expect(isWaiting.wait())
            #expect(!garage.car.isComplete.current)
            return Driver(car: car, tracked: drivers.make())
        }
        let asker = RealThread { _ = container.resolve(Driver.self) }
        #expect(isPending.wait())
        let others = [
            RealThread { #expect(container.resolve(Car.self).isComplete.current) },
            RealThread { #expect(container.resolve(Garage.self).car.isComplete.current) },
        ]
        isWaiting.raise()
        for thread in [asker] + others { thread.join() }
    }

    /// A service that borrows a pending instance does not delay it: else a server under load would never hand it out.
    @Test func borrowerDoesNotDelayTheLender() {
        let container = container
        let (isPending, isBorrowed, isHandedOut) = (Signal(), Signal(), Signal())
        container.register(Car.self) { [cars] _ in
            Car(tracked: cars.make())
        } afterCreation: { car, _ in
            isPending.raise()
            #expect(isBorrowed.wait())
            car.isComplete.withLock { $0 = true }
        }
        container.register(Driver.self) { [drivers] container in
            let car = try container.require(Car.self)
            #expect(!car.isComplete.current)
            isBorrowed.raise()
            #expect(isHandedOut.wait())
            return Driver(car: car, tracked: drivers.make())
        }
        let lender = RealThread {
            #expect(container.resolve(Car.self).isComplete.current)
            isHandedOut.raise()
        }
        #expect(isPending.wait())
        #expect(container.resolve(Driver.self).car.isComplete.current)
        lender.join()
    }

    /// In many rounds, for ThreadSanitizer: both threads end the failed instances, in any order.
    @Test(arguments: 1...20) func borrowerFailsWithItsLender(round: Int) {
        let container = container
        let (isPending, isBorrowed) = (Signal(), Signal())
        let attempts = Locked(0)
        container.register(Car.self) { [cars] _ in
            Car(tracked: cars.make())
        } afterCreation: { _, _ in
            if attempts.next() > 1 { return }
            isPending.raise()
            #expect(isBorrowed.wait())
            throw Refusal.first
        }
        container.register(Driver.self) { [drivers] container in
            let car = try container.require(Car.self)
            isBorrowed.raise()
            return Driver(car: car, tracked: drivers.make())
        }
        let lender = RealThread {
            let error = failure { () throws(DependencyError) in try container.require(Car.self) }
            #expect(error?.underlying as? Refusal == .first)
        }
        #expect(isPending.wait())
        let error = failure { () throws(DependencyError) in try container.require(Driver.self) }
        #expect(error?.underlying as? Refusal == .first)
        lender.join()
        #expect(container.resolve(Driver.self).car === container.resolve(Car.self))
        #expect(cars.live == 1 && drivers.live == 1)
    }

    /// An owner of a child that refers back to it without a reference. Whoever gets the child must get it with a living parent.
    private final class Parent: Sendable {
        let tracked: Tracked
        init(_ tracked: Tracked) { self.tracked = tracked }
    }

    private final class Child: Sendable {
        unowned let parent: Parent
        init(_ parent: Parent) { self.parent = parent }
    }

    private struct Reader: Sendable { let child: Child, number: Int }
    private struct Second: Sendable { let reader: Reader }

    /// The completion of the parent fails while other threads have borrowed its child, directly and through the reader.
    @Test(arguments: [false, true]) func borrowersNeverSeeAnInstanceThatWasDisposedOf(indirectly: Bool) {
        let (container, parents) = (container, Tracker())
        let (exists, isBorrowed, hasFailed) = (Signal(), Signal(), Signal())
        let disposed = Locked<[String]>([])
        let isRetry = Locked(false)
        let attempts = Locked(0)
        container.register(Parent.self) { _ in
            Parent(parents.make(7))
        } afterCreation: { _, container in
            if attempts.next() > 1 { return }
            _ = try container.require(Child.self)
            exists.raise()
            #expect(isBorrowed.wait())
            throw Refusal.first
        } onDispose: { _ in
            disposed.withLock { $0.append("parent") }
        }
        container.register(Child.self) { container in
            Child(try container.require(Parent.self))
        } onDispose: { child in
            // The parent of a child that is disposed of lives.
            disposed.withLock { $0.append("child of \(child.parent.tracked.number)") }
        }
        let wait = { @Sendable in
            isBorrowed.raise()
            #expect(hasFailed.wait())
            if !isRetry.current { #expect(disposed.current == []) }
        }
        container.register(Reader.self) { container in
            let child = try container.require(Child.self)
            if !indirectly { wait() }
            return Reader(child: child, number: child.parent.tracked.number)
        } afterCreation: { _, _ in
        } onDispose: { reader in
            disposed.withLock { $0.append("reader of \(reader.child.parent.tracked.number)") }
        }
        container.register(Second.self) { container in
            let reader = try container.require(Reader.self)
            if indirectly { wait() }
            return Second(reader: reader)
        } onDispose: { second in
            disposed.withLock { $0.append("second of \(second.reader.child.parent.tracked.number)") }
        }
        let lender = RealThread {
            let error = failure { () throws(DependencyError) in try container.require(Parent.self) }
            #expect(error?.underlying as? Refusal == .first)
            hasFailed.raise()
        }
        #expect(exists.wait())
        let error = failure { () throws(DependencyError) in
            if indirectly { _ = try container.require(Second.self) } else { _ = try container.require(Reader.self) }
        }
        #expect(error?.underlying as? Refusal == .first)
        lender.join()
        let expected = ["second of 7", "reader of 7", "child of 7", "parent"]
        #expect(disposed.current == (indirectly ? expected : Array(expected.dropFirst())))
        expectGone(parents)
        isRetry.withLock { $0 = true }
        #expect(container.resolve(Second.self).reader.number == 7)
    }

    private struct Left: Sendable { let tracked: Tracked }
    private struct Right: Sendable { let tracked: Tracked }

    /// Two groups that have borrowed from each other fail together. Neither waits for the other one to be disposed of.
    @Test func groupsThatBorrowedFromEachOtherAreDisposedOfTogether() {
        let (container, tracker) = (container, Tracker())
        let (leftExists, rightExists, rightHasBorrowed, leftHasFailed) = (Signal(), Signal(), Signal(), Signal())
        let disposed = Locked(0)
        container.register(Left.self) { _ in
            Left(tracked: tracker.make())
        } afterCreation: { _, container in
            leftExists.raise()
            #expect(rightExists.wait())
            _ = try container.require(Right.self)
            #expect(rightHasBorrowed.wait())
            throw Refusal.first
        } onDispose: { _ in
            #expect(tracker.live == 2)
            disposed.withLock { $0 += 1 }
        }
        container.register(Right.self) { _ in
            Right(tracked: tracker.make())
        } afterCreation: { _, container in
            rightExists.raise()
            #expect(leftExists.wait())
            _ = try container.require(Left.self)
            rightHasBorrowed.raise()
            #expect(leftHasFailed.wait())
            #expect(disposed.current == 0 && tracker.live == 2)
        } onDispose: { _ in
            #expect(tracker.live == 2)
            disposed.withLock { $0 += 1 }
        }
        let left = RealThread {
            let error = failure { () throws(DependencyError) in try container.require(Left.self) }
            #expect(error?.underlying as? Refusal == .first)
            leftHasFailed.raise()
        }
        let error = failure { () throws(DependencyError) in try container.require(Right.self) }
        #expect(error?.underlying as? Refusal == .first)
        left.join()
        #expect(disposed.current == 2)
        expectGone(tracker)
    }

    @Test(arguments: ["singleton", "scoped", "cached"])
    func eachInstanceWhoseCompletionFailsIsDisposedOf(lifetime: String) async throws {
        let (container, cars) = (container, cars)
        let disposed = Locked<[Int]>([])
        container.register(Car.self, lifetime: try #require(lifetimes[lifetime])) { _ in
            Car(tracked: cars.make(cars.made))
        } afterCreation: { _, _ in
            throw Refusal.first
        } onDispose: { car in
            disposed.withLock { $0.append(car.tracked.number) }
        }
        for suspends in [true, false] {
            for _ in 0..<3 {
                if suspends {
                    _ = try? await container.asyncResolve(Car.self)
                } else {
                    _ = failure { () throws(DependencyError) in try container.require(Car.self) }
                }
            }
        }
        #expect(disposed.current == Array(0..<6))
        try await container.shutdown()
        #expect(disposed.current == Array(0..<6))
        await expectGone(cars)
    }

    @Test func eachAsynchronousInstanceWhoseCompletionFailsIsDisposedOf() async throws {
        let (container, cars) = (container, cars)
        let disposed = Locked<[Int]>([])
        container.register(Car.self) { _ async in
            Car(tracked: cars.make(cars.made))
        } afterCreation: { _, _ in
            throw Refusal.first
        } onDispose: { car in
            disposed.withLock { $0.append(car.tracked.number) }
        }
        for _ in 0..<3 { _ = try? await container.asyncResolve(Car.self) }
        // Each hook runs after the end of its creation, in the task of that creation.
        #expect(await eventually { disposed.current.sorted() == [0, 1, 2] })
    }

    @Test func anEagerInstanceWhoseCompletionFailsIsDisposedOfBeforeTheTrap() {
        let disposed = Locked(0)
        let container = container
        let error = trap { [cars] in
            container.register(Car.self, lifetime: .eager) { _ in
                Car(tracked: cars.make())
            } afterCreation: { _, _ in
                throw Refusal.first
            } onDispose: { _ in
                disposed.withLock { $0 += 1 }
            }
        }
        #expect(error?.underlying as? Refusal == .first)
        #expect(disposed.current == 1)
    }

    @Test func pendingInstancesOfAnAbandonedCreationAreDisposedOf() {
        let disposed = Locked<[String]>([])
        let container = container
        container.register(Car.self) { [cars] _ in
            Car(tracked: cars.make())
        } afterCreation: { _, _ in
        } onDispose: { _ in
            disposed.withLock { $0.append("car") }
        }
        container.register(Driver.self) { [drivers] container in
            _ = Driver(car: try container.require(Car.self), tracked: drivers.make())
            return container.resolve(Driver?.self)!
        }
        #expect(trap { _ = container.resolve(Driver.self) }?.reason == .notRegistered)
        #expect(disposed.current == ["car"])
    }

    @Test func abandonedCompletionFailsThoseThatWait() {
        let container = container
        let isPending = Signal()
        let attempts = Locked(0)
        container.register(Car.self) { [cars] _ in
            Car(tracked: cars.make())
        } afterCreation: { _, container in
            if attempts.next() > 1 { return }
            isPending.raise()
            _ = container.resolve(Int.self)
        }
        container.register(Driver.self) { [drivers] container in
            Driver(car: try container.require(Car.self), tracked: drivers.make())
        }
        let waiter = Locked<DependencyError?>(nil)
        let asker = RealThread {
            #expect(isPending.wait())
            // It meets the creation before or after the trap.
            let error = failure { () throws(DependencyError) in try container.require(Car.self) }
            waiter.withLock { $0 = error }
        }
        #expect(trap { _ = container.resolve(Driver.self) }?.reason == .notRegistered)
        asker.join()
        #expect(waiter.current == nil || waiter.current?.reason == .notRegistered)
        #expect(container.resolve(Driver.self).car === container.resolve(Car.self))
    }

    // MARK: - Tasks

    @Test(arguments: [true, false])
    func cycleOfInitializersIsClosedForTasks(driverFirst: Bool) async throws {
        let container = container
        container.register(Tracked.self, lifetime: .transient) { [drivers] _ in drivers.make() }
        container.register(Driver.self, using: Driver.init(car:tracked:))
        container.register(Car.self, using: Car.init(tracked:)) { car, container in
            car.driver = try container.require(Driver.self)
        }
        if driverFirst {
            let driver = try await container.asyncResolve(Driver.self)
            #expect(driver.car.driver === driver)
        } else {
            let car = try await container.asyncResolve(Car.self)
            #expect(car.driver?.car === car)
        }
        #expect(drivers.made == 2)
    }

    /// The initializer of the garage takes a list of cars, and the completion of a car resolves the garage.
    @Test func cycleThroughAListIsClosedForTasks() async throws {
        final class Garage: Sendable {
            init(cars: [Car]) {}
        }
        container.register(Tracked.self, lifetime: .transient) { [drivers] _ in drivers.make() }
        container.register(Garage.self, using: Garage.init(cars:))
        container.register(Car.self, using: Car.init(tracked:)) { car, container in
            _ = try container.require(Garage.self)
            car.isComplete.withLock { $0 = true }
        }
        let garage = try await container.asyncResolve(Garage.self)
        #expect(container.resolve(Garage.self) === garage)
        #expect(container.resolve(Car.self).isComplete.current)
    }

    @Test func cycleThroughADecoratorIsClosedForTasks() async throws {
        container.register(Tracked.self, lifetime: .transient) { [drivers] _ in drivers.make() }
        container.register(Driver.self, using: Driver.init(car:tracked:))
        container.register(Car.self, using: Car.init(tracked:)) { car, container in
            car.driver = try container.require(Driver.self)
        }
        container.decorate(Car.self) { car, _ in car }
        let driver = try await container.asyncResolve(Driver.self)
        #expect(driver.car.driver === driver)
    }

    @Test func warmUpCreatesACycle() async throws {
        container.register(Tracked.self, lifetime: .transient) { [drivers] _ in drivers.make() }
        container.register(Car.self, using: Car.init(tracked:)) { car, container in
            car.driver = try container.require(Driver.self)
        }
        container.register(Driver.self, using: Driver.init(car:tracked:))
        try await container.warmUp()
        #expect(drivers.made == 2)
        #expect(container.resolve(Driver.self).car.driver === container.resolve(Driver.self))
    }

    @Test func tasksThatRaceForACycleGetOnePair() async throws {
        for _ in 0..<rounds(50) {
            let container = DependencyContainer()
            let test = CompletionTests()
            test.registerPair(in: container)
            let found = try await withThrowingTaskGroup(of: Bool.self) { group in
                for index in 0..<8 {
                    group.addTask {
                        if index % 2 == 0 {
                            let driver = try await container.asyncResolve(Driver.self)
                            return driver.car.driver === driver && driver.car.isComplete.current
                        }
                        let car = try await container.asyncResolve(Car.self)
                        return car.driver?.car === car && car.isComplete.current
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            check(found.count == 8 && found.allSatisfy { $0 })
            check(test.drivers.made == 1 && test.cars.made == 1)
        }
    }

    @Test func completionOfAnAsynchronousServiceHidesTheInstancesThatItCreates() async throws {
        let container = container
        let (isPending, goOn) = (Signal(), Signal())
        container.register(Car.self) { [cars] _ async in
            Car(tracked: cars.make())
        } afterCreation: { car, container in
            let driver = try container.require(Driver.self)
            #expect(driver.car === car)
            isPending.raise()
            #expect(goOn.wait())
            car.driver = driver
            car.isComplete.withLock { $0 = true }
        }
        container.register(Driver.self) { [drivers] container in
            Driver(car: try container.require(Car.self), tracked: drivers.make())
        }
        async let car = container.asyncResolve(Car.self)
        #expect(await isPending.wait())
        let other = RealThread { #expect(container.resolve(Driver.self).car.isComplete.current) }
        goOn.raise()
        #expect(try await car.driver?.car === car)
        await other.join()
    }

    @Test func asynchronousServiceThatACompletionNeedsTooEarlyIsReportedWithItsChain() async {
        container.register(Driver.self) { [drivers] container async throws in
            Driver(car: try await container.asyncResolve(Car.self), tracked: drivers.make())
        }
        container.register(Car.self) { [cars] _ in
            Car(tracked: cars.make())
        } afterCreation: { car, container in
            car.driver = try container.require(Driver.self)
        }
        let error = await failure { [container] () async throws(DependencyError) in
            try await container.asyncResolve(Driver.self)
        }
        #expect(error?.reason == .circular)
        #expect(error?.chain == [shown(Driver.self), shown(Car.self), shown(Driver.self)])
    }
}
