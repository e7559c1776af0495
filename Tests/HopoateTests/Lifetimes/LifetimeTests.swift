import Hopoate
import Testing

private protocol Shape { var area: Double { get } }
private protocol Reference: AnyObject { var number: Int { get } }
/// Larger than the three words of an inline existential.
private struct Big: Shape, Equatable {
    var words = (1.0, 2.0, 3.0, 4.0, 5.0)
    var text = "a text that is too long to be stored in place"
    let tracked: Tracked?
    var area: Double { words.0 + words.1 + words.2 + words.3 + words.4 }
    static func == (left: Big, right: Big) -> Bool { left.words == right.words && left.text == right.text }
}
private struct Small: Shape { var area = 2.0 }
extension Tracked: Reference {}
private enum Mode: Equatable {
    case off
    case on(Int)
    indirect case both(Mode, Mode)
}
private class Animal { func sound() -> String { "" } }
private final class Dog: Animal { override func sound() -> String { "woof" } }
private actor Counter {
    var count = 0
    func next() -> Int {
        count += 1
        return count
    }
}

/// Kinds of types that can be services. Each kind is resolved cached, borrowed, with `resolveAll` and through a wrapper.
@Suite(.mayBlock) struct LifetimeTests {
    let container = DependencyContainer()
    let tracker = Tracker()

    /// Registers a service cached and uncached, and checks the result of each way to resolve it.
    private func check<Service>(
        _ service: Service, as type: Service.Type, _ location: SourceLocation = #_sourceLocation,
        isSame: @escaping (Service) -> Bool
    ) {
        func look(_ count: Int) {
            #expect(isSame(container.resolve(type)), sourceLocation: location)
            #expect(container.optionalResolve(type).map(isSame) == true, sourceLocation: location)
            #expect(container.withService(type, isSame), sourceLocation: location)
            #expect(container.withOptionalService(type, isSame) == true, sourceLocation: location)
            let all = container.resolveAll(type)
            #expect(all.count == count && all.allSatisfy(isSame), sourceLocation: location)
            let wrapper = Dependency<Service>(container: container)
            #expect(isSame(wrapper.wrappedValue) && isSame(wrapper.wrappedValue), sourceLocation: location)
            wrapper.wrappedValue = service
            #expect(isSame(wrapper.wrappedValue), sourceLocation: location)
            let optional = OptionalDependency<Service>(container: container)
            #expect(optional.wrappedValue.map(isSame) == true, sourceLocation: location)
        }
        #expect(container.optionalResolve(type) == nil, sourceLocation: location)
        let first = container.hopoate1.register(service, for: type)
        look(1)
        let second = container.hopoate1.register(service: type, cacheService: false) { service }
        look(2)
        container.remove(first)
        container.remove(second)
        #expect(container.optionalResolve(type) == nil, sourceLocation: location)
    }

    @Test func valuesAreServices() {
        check(42, as: Int.self) { $0 == 42 }
        check(true, as: Bool.self) { $0 }
        check("a text that is too long to be stored in place", as: String.self) { $0.count == 45 }
        check([1, 2, 3], as: [Int].self) { $0 == [1, 2, 3] }
        check(["a": Big(tracked: nil)], as: [String: Big].self) { $0["a"]?.area == 15 }
        check(Big(tracked: nil), as: Big.self) { $0 == Big(tracked: nil) }
    }

    @Test func enumerationsAreServices() {
        check(.off, as: Mode.self) { $0 == .off }
        check(.both(.on(1), .both(.off, .on(2))), as: Mode.self) { $0 == .both(.on(1), .both(.off, .on(2))) }
    }

    @Test func tuplesAndVoidAreServices() {
        check((1, "two"), as: (Int, String).self) { $0 == (1, "two") }
        check((left: 1, right: tracker.make(2)), as: (left: Int, right: Tracked).self) { $0.right.number == 2 }
        check((), as: Void.self) { $0 == () }
        expectGone(tracker)
    }

    @Test func closuresAreServices() {
        let tracked = tracker.make(5)
        check({ $0 + tracked.number }, as: ((Int) -> Int).self) { $0(2) == 7 }
        check({ "async" }, as: (@Sendable () async throws -> String).self) { _ in true }
    }

    @Test func metatypesAreServices() {
        check(Dog.self, as: Animal.Type.self) { $0 == Dog.self }
        check(Small.self, as: (any Shape.Type).self) { $0 == Small.self }
        check(Int.self, as: Any.Type.self) { $0 == Int.self }
    }

    @Test func existentialsAreServices() {
        check(Small(), as: (any Shape).self) { $0.area == 2 }
        check(Big(tracked: tracker.make()), as: (any Shape).self) { $0.area == 15 }
        check(Big(tracked: nil), as: Any.self) { $0 as? Big == Big(tracked: nil) }
        check(Small(), as: (any Shape & Sendable).self) { $0.area == 2 }
        check(Refusal.first, as: (any Error).self) { $0 as? Refusal == .first }
        check(7, as: AnyHashable.self) { $0 == AnyHashable(7) }
        check([1, 2], as: (any Collection<Int>).self) { $0.count == 2 }
        expectGone(tracker)
    }

    @Test func classBoundExistentialsAreServices() {
        let tracked = tracker.make(1)
        check(tracked, as: (any Reference).self) { $0 === tracked }
        check(tracked, as: AnyObject.self) { $0 === tracked }
        check(Dog(), as: Animal.self) { $0.sound() == "woof" }
        check(DependencyContainer(), as: DependencyContainer.self) { $0 !== container }
    }

    @Test func actorsAreServices() async {
        let counter = Counter()
        container.register(counter, for: Counter.self)
        #expect(await container.resolve(Counter.self).next() == 1)
        #expect(await container.resolve(Counter.self).next() == 2)
    }

    @Test func optionalsAreServices() {
        check(nil, as: Int?.self) { $0 == nil }
        check(3, as: Int?.self) { $0 == 3 }
        check(.some(nil), as: Int??.self) { $0 == .some(nil) }
        check(nil, as: Tracked?.self) { $0 == nil }
        check(tracker.make(3), as: Tracked?.self) { $0?.number == 3 }
        expectGone(tracker)
    }

    @Test func registeredNilIsDistinguishedFromAMiss() {
        container.register(nil, for: Int?.self)
        #expect(container.canResolve(Int?.self))
        #expect(container.optionalResolve(Int?.self) == .some(nil))
        #expect(container.withOptionalService(Int?.self) { $0 } == .some(nil))
        let child = container.makeChild()
        container.register(1, for: Int?.self, replacing: true)
        child.register(nil, for: Int?.self)
        #expect(child.resolve(Int?.self) == nil)
        #expect(child.withService(Int?.self) { $0 } == nil)
    }

    @Test func weakReferencesInServicesStayWeak() {
        struct Weak { weak var target: Tracked? }
        var target: Tracked? = tracker.make(1)
        container.register(Weak(target: target), for: Weak.self)
        #expect(container.resolve(Weak.self).target === target)
        target = nil
        #expect(container.resolve(Weak.self).target == nil)
    }

    @Test func valuesAreCopiedOut() {
        container.register([1], for: [Int].self)
        var copy = container.resolve([Int].self)
        copy.append(2)
        #expect(container.resolve([Int].self) == [1])
        #expect(copy == [1, 2])
    }
}

enum Refusal: Error, Equatable { case first, second }
