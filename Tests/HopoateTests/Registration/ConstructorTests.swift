import Hopoate
import Testing

private protocol Engine: Sendable {}
private struct Diesel: Engine {}
private struct Wheel: Sendable { let number: Int }
private struct Radio: Sendable {}

private struct Car: Sendable {
    let engine: any Engine
    let radio: Radio?
    let wheels: [Wheel]
}

private struct Picky {
    init(_ wheel: Wheel, limit: Int) throws {
        if wheel.number > limit { throw Refusal.first }
    }
}

/// Initializers whose parameters are resolved.
@Suite struct ConstructorTests {
    let container = DependencyContainer()

    @Test func parametersAreResolved() {
        container.register(Car.self, using: Car.init)
        container.register(Diesel(), for: (any Engine).self)
        container.register((any Engine).self, named: "other", using: Diesel.init)
        container.register(Wheel(number: 1), for: Wheel.self)
        #expect(container.resolve(Car.self).wheels.map(\.number) == [1])
        #expect(container.canResolve((any Engine).self, named: "other"))
    }

    @Test func optionalParameterIsNilWithoutARegistration() {
        container.register(Diesel(), for: (any Engine).self)
        container.register(Wheel(number: 1), for: Wheel.self)
        container.register(Car.self, lifetime: .transient, using: Car.init)
        #expect(container.resolve(Car.self).radio == nil)
        container.register(Radio(), for: Radio.self)
        #expect(container.resolve(Car.self).radio != nil)
        // A registration under the optional type itself takes precedence.
        container.register(nil, for: Radio?.self)
        #expect(container.resolve(Car.self).radio == nil)
    }

    @Test func arrayParameterGetsAllRegistrations() {
        container.register(Diesel(), for: (any Engine).self)
        container.register(Car.self, lifetime: .transient, using: Car.init)
        for number in 0..<4 { container.register(Wheel.self) { _ in Wheel(number: number) } }
        #expect(container.resolve(Car.self).wheels.map(\.number) == [3, 2, 1, 0])
        #expect(container.makeChild().resolve(Car.self).wheels.count == 4)
        container.register([Wheel(number: 9)], for: [Wheel].self)
        #expect(container.resolve(Car.self).wheels.map(\.number) == [9])
    }

    /// `[String]` is rather a forgotten argument than a list of services.
    @Test(arguments: [false, true])
    func arrayParameterNeedsARegistration(suspends: Bool) async {
        container.register(Diesel(), for: (any Engine).self)
        if suspends {
            container.register(
                Car.self,
                using: { (engine: any Engine, wheels: [Wheel]) async in Car(engine: engine, radio: nil, wheels: wheels)
                })
        } else {
            container.register(Car.self, using: Car.init)
        }
        let error = await #expect(throws: DependencyError.self) { try await container.asyncResolve(Car.self) }
        #expect(error?.reason == .notRegistered && error?.service == [Wheel].self)
        #expect(error?.description.contains("no 'HopoateTests.Wheel' is registered") == true)
        #expect(error?.description.contains("`resolveAll(HopoateTests.Wheel.self)`") == true)
        let finding = #expect(throws: DependencyValidationError.self) { try container.validate() }?.findings.first
        #expect(finding?.kind == .missing && finding?.chain == error?.chain)
        #expect(finding?.description.contains("needs the list '[HopoateTests.Wheel]'") == true)
        // Any registration is enough, also in a child.
        let child = container.makeChild()
        child.register(Wheel(number: 1), for: Wheel.self)
        child.register(Car.self, using: Car.init)
        #expect(child.resolve(Car.self).wheels.count == 1)
    }

    @Test func missingParameterIsReportedWithItsChain() {
        container.register(Car.self, using: Car.init)
        let error = failure { () throws(DependencyError) in try container.require(Car.self) }
        #expect(error?.reason == .notRegistered)
        #expect(error?.service == (any Engine).self)
        #expect(error?.chain.count == 2 && error?.chain[0].contains("Car") == true)
        container.register(Diesel(), for: (any Engine).self)
        container.register(Wheel(number: 1), for: Wheel.self)
        #expect(container.resolve(Car.self).radio == nil)
    }

    @Test func failureOfAnyParameterIsRethrown() {
        container.register(Diesel(), for: (any Engine).self)
        container.register(Car.self, using: Car.init)
        container.register(Wheel.self) { _ in throw Refusal.first }
        let wheels = failure { () throws(DependencyError) in try container.require(Car.self) }
        #expect(wheels?.underlying as? Refusal == .first)
        container.register(Wheel(number: 1), for: Wheel.self, replacing: true)
        container.register(Radio.self) { _ in throw Refusal.second }
        let radio = failure { () throws(DependencyError) in try container.require(Car.self) }
        #expect(radio?.underlying as? Refusal == .second)
    }

    @Test func throwingInitializerIsRetried() {
        container.register(7, for: Int.self)
        let wheel = container.register(Wheel(number: 8), for: Wheel.self)
        container.register(Picky.self, using: Picky.init)
        let error = failure { () throws(DependencyError) in try container.require(Picky.self) }
        #expect(error?.reason == .creationFailed && error?.underlying as? Refusal == .first)
        container.remove(wheel)
        container.register(Wheel(number: 7), for: Wheel.self)
        #expect(container.optionalResolve(Picky.self) != nil)
    }

    @Test func functionsWithAnyNumberOfParametersAreFactories() {
        container.register(1, for: Int.self)
        container.register(2.5, for: Double.self)
        container.register("x", for: String.self)
        container.register(true, for: Bool.self)
        @Sendable func none() -> UInt8 { 7 }
        @Sendable func four(_ a: Int, _ b: Double, _ c: String, _ d: Bool) -> Substring { "\(a)\(b)\(c)\(d)" }
        container.register(UInt8.self, using: none)
        container.register(Substring.self, using: four)
        #expect(container.resolve(UInt8.self) == 7)
        #expect(container.resolve(Substring.self) == "12.5xtrue")
    }

    @Test func initializersTakeTheLifetimesOfFactories() {
        let tracker = Tracker()
        @Sendable func make() -> Tracked { tracker.make() }
        container.register(Tracked.self, named: "singleton", using: make)
        container.register(Tracked.self, named: "transient", lifetime: .transient, using: make)
        container.register(Tracked.self, named: "eager", lifetime: .eager, using: make)
        #expect(tracker.made == 1)
        for _ in 0..<2 {
            for name in ["singleton", "transient", "eager"] as [DependencyName] {
                _ = container.resolve(Tracked.self, named: name)
            }
        }
        #expect(tracker.made == 4)
    }

    @Test func cycleOfInitializersIsReported() {
        struct Egg { init(_ hen: Hen) {} }
        struct Hen { init(_ egg: Egg) {} }
        container.register(Egg.self, using: Egg.init)
        container.register(Hen.self, using: Hen.init)
        let error = failure { () throws(DependencyError) in try container.require(Hen.self) }
        #expect(error?.reason == .circular)
        #expect(error?.chain.count == 3)
    }

    @Test func asynchronousInitializerGetsItsParametersAsynchronously() async throws {
        @Sendable func build(_ engine: any Engine, _ radio: Radio?, _ wheels: [Wheel]) async throws -> Car {
            Car(engine: engine, radio: radio, wheels: wheels)
        }
        container.register((any Engine).self) { _ async in Diesel() }
        container.register(Car.self, lifetime: .transient, using: build)
        container.register(Wheel.self) { _ async in Wheel(number: 1) }
        #expect(try await container.asyncResolve(Car.self).radio == nil)
        container.register(Radio.self) { _ async in Radio() }
        container.register(Wheel.self) { _ in Wheel(number: 2) }
        let car = try await container.asyncResolve(Car.self)
        #expect(car.radio != nil && car.wheels.map(\.number) == [2, 1])
    }
}
