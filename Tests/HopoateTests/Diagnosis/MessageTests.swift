import Foundation
import Hopoate
import Testing

protocol Mailing: Sendable {}
protocol Posting: AnyObject, Sendable {}
struct LocalMailer: Mailing {}
// Unchecked, because it has a subclass. Sound, because neither has variables.
class Beast: @unchecked Sendable {}
final class Hound: Beast, @unchecked Sendable {}
struct Letter: Sendable {}
protocol Shelving<Element>: Sendable { associatedtype Element }
protocol LongShelving<Element>: Shelving {}
final class NumberShelf: LongShelving { typealias Element = Int }
final class WordShelf: Shelving { typealias Element = String }
private struct HiddenShelf: Shelving { typealias Element = Int }
private protocol Hidden: Sendable {}
private struct HiddenOne: Hidden {}

/// The messages of `DependencyError`: the type, the place, the remedy, and the registrations that may have been meant.
@Suite(.mayBlock) struct MessageTests {
    private let container = DependencyContainer()
    private let file = "HopoateTests/MessageTests.swift"

    private func message<Service>(_ type: Service.Type, named name: DependencyName? = nil) -> String {
        let error = failure { () throws(DependencyError) in
            try container.require(type, named: name, fileID: "There.swift", line: 7)
        }
        return error?.description ?? "no error"
    }

    private func expect(_ text: String?, _ parts: String..., location: SourceLocation = #_sourceLocation) {
        for part in parts {
            #expect(
                text?.contains(part) == true, "'\(part)' is missing in: \(text ?? "no error")", sourceLocation: location
            )
        }
    }

    // MARK: - Registered under another type

    @Test func concreteTypeIsNamedForTheProtocolThatItConformsTo() {
        let line = #line + 1
        container.register(LocalMailer(), for: LocalMailer.self)
        container.register(1, for: Int.self)
        let text = message((any Mailing).self)
        expect(
            text,
            "Cannot resolve 'any HopoateTests.Mailing' at There.swift:7: no registration. Register it before the first use",
            "'HopoateTests.LocalMailer' is registered at \(file):\(line) and can be used as 'any HopoateTests.Mailing'.",
            "Register it with `for: (any HopoateTests.Mailing).self`, or resolve `HopoateTests.LocalMailer.self`.")
        #expect(!text.contains("Swift.Int"))
    }

    @Test func concreteTypeOfAFactoryIsNamedBeforeTheFactoryRuns() {
        container.register(LocalMailer.self) { _ in
            Issue.record("the factory ran")
            return LocalMailer()
        }
        container.register(Hound.self, lifetime: .transient) { _ in Hound() }
        expect(message((any Mailing).self), "'HopoateTests.LocalMailer' is registered at \(file):", "can be used as")
        expect(message(Beast.self), "'HopoateTests.Hound' is registered at \(file):", "`for: HopoateTests.Beast.self`")
        #expect(!message((any Posting).self).contains("can be used as"))
    }

    @Test func protocolIsNamedForTheConcreteTypeThatConformsToIt() {
        let line = #line + 1
        container.register(LocalMailer(), for: (any Mailing).self)
        expect(
            message(LocalMailer.self),
            "'any HopoateTests.Mailing' is registered at \(file):\(line), and its instance may be of type 'HopoateTests.LocalMailer'.",
            "Resolve `(any HopoateTests.Mailing).self`, or register it with `for: HopoateTests.LocalMailer.self`.")
    }

    @Test func concreteTypeIsNamedForAProtocolWithArgumentsThatItConformsTo() {
        let line = #line + 1
        container.register(WordShelf(), for: WordShelf.self)
        container.register(NumberShelf(), for: NumberShelf.self)
        let text = message((any Shelving<Int>).self)
        expect(
            text,
            "'HopoateTests.NumberShelf' is registered at \(file):\(line + 1) and can be used as 'any HopoateTests.Shelving<Swift.Int>'.",
            "Register it with `for: (any HopoateTests.Shelving<Swift.Int>).self`, or resolve `HopoateTests.NumberShelf.self`."
        )
        #expect(!text.contains("WordShelf"))
        // A protocol that inherits the associated type; a composition; and a type that conforms to none of them.
        expect(message((any LongShelving<Int>).self), "'HopoateTests.NumberShelf' is registered", "can be used as")
        expect(message((any Shelving<Int> & AnyObject).self), "'HopoateTests.NumberShelf' is registered")
        #expect(!message((any LongShelving<String>).self).contains("Shelf' is registered"))
        #expect(!message((any Shelving<Int> & Beast).self).contains("can be used as"))
        #expect(!message((any Shelving<Int> & Mailing).self).contains("can be used as"))
    }

    @Test func protocolWithArgumentsIsNamedForTheConcreteTypeThatConformsToIt() {
        let line = #line + 1
        container.register(NumberShelf(), for: (any Shelving<Int>).self)
        expect(
            message(NumberShelf.self),
            "'any HopoateTests.Shelving<Swift.Int>' is registered at \(file):\(line), and its instance",
            "Resolve `(any HopoateTests.Shelving<Swift.Int>).self`, or register it with `for: HopoateTests.NumberShelf.self`."
        )
        #expect(!message(WordShelf.self).contains("its instance may be"))
    }

    @Test func privateTypesAreListedForAProtocolWithArguments() {
        container.register(HiddenShelf(), for: HiddenShelf.self)
        expect(message((any Shelving<Int>).self), "Other registered types: 'HopoateTests.HiddenShelf' (\(file):")
        #expect(!message((any LongShelving<Int>).self).contains("HiddenShelf"))
    }

    @Test func anotherTypeOfTheSameSpellingIsNamed() {
        registerHiddenShelf(in: container)
        expect(
            message(HiddenShelf.self), "'HopoateTests.HiddenShelf' is registered at HopoateTests/AdviceTests.swift:",
            ", but is another type. Check `Sendable`, which is not shown, and the declaration.")
    }

    @Test func typeInsideAnOptionalOrAnArrayIsNamed() {
        container.register(Hound.self) { _ in Hound() }
        expect(
            message(Hound?.self), "'HopoateTests.Hound' is registered at \(file):",
            "Resolve `HopoateTests.Hound.self`, or use `optionalResolve(HopoateTests.Hound.self)`.")
        expect(message([Hound].self), "or use `resolveAll(HopoateTests.Hound.self)`.")
    }

    @Test func typesAreListedIfTheyCannotBeCompared() {
        container.register(HiddenOne(), for: HiddenOne.self)
        for number in 0..<20 { container.register(number, for: Int.self, named: DependencyName("\(number)")) }
        let text = message((any Hidden).self)
        expect(
            text, "Other registered types: ", "HiddenOne' (\(file):",
            "register it with `for: (any HopoateTests.Hidden).self`")
        // The default container, which other tests use, is listed on a line of its own.
        let list = text.split(separator: "\n").first { $0.contains("Other registered types: ") } ?? ""
        #expect(list.components(separatedBy: "' (\(file):").count == 9, "eight types are listed in: \(text)")
    }

    @Test func valuesOfTheEnvironmentAndTypesThatDoNotFitAreNotNamed() {
        container.values.messageClock = MessageClock()
        container.register(Letter(), for: Letter.self)
        let text = message((any Mailing).self)
        #expect(!text.contains("EnvironmentValue") && !text.contains("'HopoateTests.Letter'"))
    }

    @Test func noncopyableTypesAreCompared() {
        struct Journal: ~Copyable {}
        container.register(noncopyable: Journal(), for: Journal.self)
        expect(message((any Mailing).self), "no registration")
        let error = trap { [container] in container.withService(OtherJournal.self) { _ in } }
        expect(
            error?.description, "'HopoateTests.OtherJournal'",
            "`register(noncopyable: …, for: HopoateTests.OtherJournal.self)`, or use `withOptionalService`.")
    }

    @Test func typeInTheDefaultContainerIsNamedForAContainerOfItsOwn() {
        let registration = DependencyContainer.shared.register(OnlyHere(), for: OnlyHere.self)
        defer { DependencyContainer.shared.remove(registration) }
        expect(
            message((any Rarely).self), "'HopoateTests.OnlyHere' is registered at \(file):",
            " in the default container, which was not searched and can be used as 'any HopoateTests.Rarely'.")
    }

    // MARK: - Names and arguments

    @Test func namesAndArgumentsAreShownAsTheyAreTyped() {
        container.register(LocalMailer(), for: (any Mailing).self, named: "fast")
        container.register(Letter.self) { (_, _: Int, _: String) in Letter() }
        expect(
            message((any Mailing).self), "Resolve it with `resolve((any HopoateTests.Mailing).self, named: \"fast\")`.")
        expect(
            message((any Mailing).self, named: "slow"), "named \"slow\"' at There.swift:7",
            "`register(…, for: (any HopoateTests.Mailing).self, named: \"slow\")`", "named: \"fast\")`.")
        expect(
            message(Letter.self),
            "Resolve it with `resolve(HopoateTests.Letter.self, arguments: …)` and arguments of the types (Swift.Int, Swift.String)."
        )
        let error = failure { () throws(DependencyError) in try container.require(Letter.self, arguments: 1) }
        expect(
            error?.description,
            "`register(HopoateTests.Letter.self) { (container, …) in … }` and a factory that takes (Swift.Int), or use",
            "arguments of the types (Swift.Int, Swift.String).")
    }

    // MARK: - Places

    @Test func everyReasonHasThePlaceOfTheCall() async {
        container.register(Hound.self) { () async in Hound() }
        expect(message(Hound.self), "Cannot resolve 'HopoateTests.Hound' at There.swift:7: its factory is asynchronous")
        container.register(Int.self) { container in try container.require(Int.self, fileID: "Inside.swift", line: 3) }
        expect(
            message(Int.self),
            "Cannot resolve 'Swift.Int' at Inside.swift:3: circular dependency Swift.Int → Swift.Int.")
        container.register(Double.self) { _ in throw Refusal.first }
        expect(
            message(Double.self), "Cannot resolve 'Swift.Double' at There.swift:7: its factory threw an error: first.")
        container.register(Letter.self, lifetime: .scoped) { _ in Letter() }
        container.register(LocalMailer.self) { container in
            _ = try container.require(Letter.self, fileID: "Inside.swift", line: 4)
            return LocalMailer()
        }
        expect(message(LocalMailer.self), "Cannot resolve 'HopoateTests.Letter' at Inside.swift:4: captive dependency.")
        let awaited = await failure { () async throws(DependencyError) in
            try await container.asyncResolve(Double.self, fileID: "There.swift", line: 8)
        }
        expect(awaited?.description, "'Swift.Double' at There.swift:8: its factory threw")
        try? await container.shutdown()
        expect(message(Int.self), "Cannot resolve 'Swift.Int' at There.swift:7: the container is shutting down")
    }

    @Test func everyTrapHasThePlaceOfTheCall() {
        let container = container
        container.register(Double.self) { _ in throw Refusal.first }
        container.register(Double.self, named: "a") { _ in throw Refusal.first }
        container.register(Double.self) { (_, _: Int) in throw Refusal.first }
        let calls: [() -> Void] = [
            { _ = container.resolve(Double.self, fileID: "There.swift", line: 7) },
            { _ = container.resolve(Double.self, named: "a", fileID: "There.swift", line: 7) },
            { _ = container.resolve(Double.self, arguments: 1, fileID: "There.swift", line: 7) },
            {
                DependencyContainer.$shared.withValue(container) {
                    _ = resolve(Double.self, fileID: "There.swift", line: 7)
                }
            },
            {
                DependencyContainer.$shared.withValue(container) {
                    _ = resolve(Double.self, named: "a", fileID: "There.swift", line: 7)
                }
            },
            { _ = Dependency<Double>(container: container, fileID: "There.swift", line: 7).wrappedValue },
            { LazyDependency<Double>(container: container).resolve(fileID: "There.swift", line: 7) },
            { _ = LazyDependency<Double>(container: container, fileID: "There.swift", line: 7).wrappedValue },
            { _ = LazyDependency<Double>(container: container, fileID: "There.swift", line: 7).object },
            { _ = container.provider(Double.self)(fileID: "There.swift", line: 7) },
        ]
        for (number, call) in calls.enumerated() {
            let text = trap(call)?.description
            #expect(text?.contains(" at There.swift:7: its factory threw") == true, "\(number): \(text ?? "no trap")")
        }
        expect(
            trap { LazyDependency<Int>(container: DependencyContainer(), fileID: "There.swift", line: 7).resolve() }?
                .description,
            "Cannot resolve 'Swift.Int' at \(file):", "the container of this handle no longer exists.")
    }

    @Test func everyCallOfAContainerThrowsWithItsPlace() {
        let container = container
        container.register(Double.self) { _ in throw Refusal.first }
        let calls: [() throws -> Double?] = [
            { try container(Double.self, fileID: "There.swift", line: 7) },
            { try container(fileID: "There.swift", line: 7) },
        ]
        for (number, call) in calls.enumerated() {
            let text = #expect(throws: DependencyError.self) { try call() }?.description
            #expect(text?.contains(" at There.swift:7: its factory threw") == true, "\(number): \(text ?? "")")
        }
    }

    @Test func asynchronousHandlesAndInitializersNameNoPlaceInsideTheLibrary() async {
        container.register(Letter.self, using: { (_: Hound) async in Letter() })
        let container = container
        let errors = [
            await failure { () async throws(DependencyError) in try await container.asyncResolve(Letter.self) },
            await failure { () async throws(DependencyError) in
                try await LazyDependency<Letter>(container: container).asyncResolve()
            },
            await failure { () async throws(DependencyError) in try await container.provider(Hound.self).asyncResolve()
            },
        ]
        for error in errors { expect(error?.description, "Cannot resolve 'HopoateTests.Hound' at \(file):") }
        container.forward((any Mailing).self, to: LocalMailer.self, fileID: "There.swift", line: 7) { $0 }
        expect(
            message((any Mailing).self), "Cannot resolve 'HopoateTests.LocalMailer' at There.swift:7: no registration.")
    }

    @Test func eagerFactoryThatThrowsNamesItsRegistration() {
        let container = container
        let error = trap {
            container.register(Int.self, lifetime: .eager, fileID: "There.swift", line: 7) { _ in throw Refusal.first }
        }
        expect(error?.description, "Cannot register 'Swift.Int' at There.swift:7: its factory threw an error: first.")
    }

    // MARK: - Nested calls

    @Test func missInAFactoryNamesTheCallTheChainAndTheRegistration() {
        container.register(Letter.self, fileID: "Outer.swift", line: 1) { container in
            _ = try container.require(Hound.self, fileID: "Outer.swift", line: 2)
            return Letter()
        }
        container.register(Hound.self, lifetime: .transient, fileID: "Inner.swift", line: 1) { container in
            _ = try container.require((any Mailing).self, fileID: "Inner.swift", line: 2)
            return Hound()
        }
        expect(
            message(Letter.self), "Cannot resolve 'any HopoateTests.Mailing' at Inner.swift:2: no registration.",
            "Dependency chain: HopoateTests.Letter → HopoateTests.Hound → any HopoateTests.Mailing.",
            "'HopoateTests.Hound' is registered at Inner.swift:1.",
            "'HopoateTests.Letter' is registered at Outer.swift:1.")
    }

    @Test func missingParameterNamesTheRegistrationOfItsInitializer() {
        container.register(Letter.self, fileID: "Outer.swift", line: 1, using: { (_: Hound) in Letter() })
        expect(
            message(Letter.self), "Cannot resolve 'HopoateTests.Hound' at There.swift:7: no registration.",
            "'HopoateTests.Letter' is registered at Outer.swift:1.")
    }

    @Test func decoratedServiceNamesBothRegistrations() {
        container.register(Letter.self, lifetime: .transient, fileID: "Outer.swift", line: 1) { container in
            _ = try container.require(Hound.self)
            return Letter()
        }
        container.decorate(Letter.self, fileID: "Outer.swift", line: 2) { letter, _ in letter }
        expect(message(Letter.self), "'HopoateTests.Letter' is registered at Outer.swift:2 and Outer.swift:1.")
    }

    @Test func warmUpNamesTheRegistrationThatFails() async {
        container.register(Int.self, fileID: "Outer.swift", line: 1) { _ in throw Refusal.first }
        let error = await failure { () async throws(DependencyError) in try await container.warmUp() }
        expect(
            error?.description, "Cannot resolve 'Swift.Int': its factory threw",
            "'Swift.Int' is registered at Outer.swift:1.")
    }

    @Test func validationNamesTheConcreteType() {
        container.register(LocalMailer(), for: LocalMailer.self)
        container.register(Letter.self, using: { (_: any Mailing) in Letter() })
        let error = #expect(throws: DependencyValidationError.self) { try container.validate() }
        expect(
            error?.description, "needs 'any HopoateTests.Mailing', which is not registered. Register it, or make",
            "'HopoateTests.LocalMailer' is registered at \(file):", "with `for: (any HopoateTests.Mailing).self`.")
    }

    @Test func shutdownErrorCountsItsHooks() async throws {
        container.register(Letter.self) { _ in
            Letter()
        } onDispose: { _ in
            throw Refusal.first
        }
        _ = container.resolve(Letter.self)
        let error = await #expect(throws: DependencyShutdownError.self) { try await container.shutdown() }
        expect(
            error?.description, "Shutdown completed, but 1 disposal hook failed:\n  'HopoateTests.Letter' threw: first")
    }
}

protocol Rarely: Sendable {}
struct OnlyHere: Rarely {}
struct OtherJournal: ~Copyable {}
struct MessageClock: Sendable {}
private enum MessageClockKey: DependencyKey { static var defaultValue: MessageClock { MessageClock() } }
extension DependencyValues {
    fileprivate var messageClock: MessageClock {
        get { self[MessageClockKey.self] }
        nonmutating set { self[MessageClockKey.self] = newValue }
    }
}
