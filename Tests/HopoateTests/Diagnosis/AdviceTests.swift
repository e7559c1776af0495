import Foundation
import Hopoate
import Testing

// The declarations of this file are as private as they are because the advice has to work there.
private protocol SecretKeeping<Element> { associatedtype Element }
protocol Keeping<Element> { associatedtype Element }
protocol Mapping<Value, Key> {
    associatedtype Key
    associatedtype Value
}
protocol Resting<Element>: Keeping {}
protocol Simple {}
protocol Other: Sendable {}
protocol Bare: ~Copyable {}
class Basis {}
struct Uncopied: ~Copyable {}
struct Slot<Content: ~Copyable>: ~Copyable {}
struct Carton<Content> {}
struct Bundle<each Content> {}
struct FirstAndRest<First, each Content> {}
enum Failing: Error {}
@globalActor actor Stage { static let shared = Stage() }
enum Outside {
    struct Inside {}
    protocol Nested {}
    protocol NestedKeeping<Element> { associatedtype Element }
    struct `default` {}
    struct `Type` {}
    struct Box<Content> { struct Lid<Material> { struct Knob {} } }
}
struct Hashing<Content: Hashable> { struct Inside<Second: Comparable> {} }
extension Carton where Content: Hashable { struct Hashes {} }
extension Array { struct Extended {} }
extension Array where Element == Int { struct ExtendedForInt {} }
extension Int { struct Extended {} }
extension Dictionary { struct Extended {} }
private struct Concealed { struct Inside {} }
private protocol Hiding {}
struct `class` {}
struct Größe {}
struct CamelCaseWords { struct WordsOfCamel {}; struct Case_Words {} }

private typealias Inout = (inout Int, Int...) -> Int
private typealias Variadic = (Int...) -> Int
private typealias Sending = (sending Basis) -> sending Basis
private typealias Consuming = (consuming Basis) -> Void
private typealias Borrowing = (borrowing Uncopied, consuming Uncopied) -> Void
private typealias Isolated = (isolated Stage) -> Void
private typealias Autoclosure = (@autoclosure () -> Int) -> Void
private typealias Composition = any (Simple & Other).Type
private typealias EmptyBundle = Bundle<>
private typealias NamedType = Outside.`Type`
private typealias AnyMetatype = any Any.Type

#if compiler(>=6.2)
    struct Vector<let count: Int, Element> {}
    struct Grid<let rows: Int> { struct Cell<let columns: Int> {} }
    struct `two words` {}
    private typealias NegativeVector = Vector<-3, Int>
    private typealias Nonsending = nonisolated(nonsending) () async -> Void
#endif

/// The code that messages advise compiles, for every kind of type: it is the second argument of `check`, and the test reads the text of
/// that argument from this file.
@Suite(.mayBlock) struct AdviceTests {
    // MARK: - Protocols

    @Test func codeForProtocolsCompiles() {
        check((any Simple).self, (any HopoateTests.Simple).self)
        check((any Simple & Other).self, (any HopoateTests.Other & HopoateTests.Simple).self)
        check((any Other & Sendable).self, (any HopoateTests.Other).self)
        check((any Simple & Basis).self, (any HopoateTests.Simple & HopoateTests.Basis).self)
        check((any Simple & AnyObject).self, (any HopoateTests.Simple & Swift.AnyObject).self)
        check((any Outside.Nested).self, (any HopoateTests.Outside.Nested).self)
        check(
            (any Hashable & Codable).self, (any Swift.Decodable & Swift.Encodable & Swift.Hashable).self)
        check((any Error).self, (any Swift.Error).self)
        check((any Actor).self, (any Swift.Actor).self)
        check((any Sendable).self, Any.self)
        check(Any.self, Any.self)
        check(AnyObject.self, Swift.AnyObject.self)
        check((any Bare).self, (any HopoateTests.Bare).self)
        checkNoncopyable((any Bare & ~Copyable).self, (any HopoateTests.Bare & ~Swift.Copyable).self)
        checkNoncopyable((any ~Copyable).self, (any ~Swift.Copyable).self)
    }

    @Test func codeForProtocolsWithArgumentsCompiles() {
        check((any Keeping<Int>).self, (any HopoateTests.Keeping<Swift.Int>).self)
        check((any Keeping<any Simple>).self, (any HopoateTests.Keeping<any HopoateTests.Simple>).self)
        check(
            (any Keeping<any Keeping<Int>>).self, (any HopoateTests.Keeping<any HopoateTests.Keeping<Swift.Int>>).self)
        check((any Keeping<(any Simple).Type>).self, (any HopoateTests.Keeping<(any HopoateTests.Simple).Type>).self)
        check((any Keeping<(Int, [String])>).self, (any HopoateTests.Keeping<(Swift.Int, [Swift.String])>).self)
        check((any Resting<Int>).self, (any HopoateTests.Resting<Swift.Int>).self)
        check((any Keeping<Int> & Simple).self, (any HopoateTests.Keeping<Swift.Int> & HopoateTests.Simple).self)
        check((any Keeping<Int> & AnyObject).self, (any HopoateTests.Keeping<Swift.Int> & Swift.AnyObject).self)
        check((any Keeping<Int> & Basis).self, (any HopoateTests.Keeping<Swift.Int> & HopoateTests.Basis).self)
        check((any Mapping<Int, Int>).self, (any HopoateTests.Mapping<Swift.Int, Swift.Int>).self)
        check((any Outside.NestedKeeping<Int>).self, (any HopoateTests.Outside.NestedKeeping<Swift.Int>).self)
        check((any SecretKeeping<Int>).self, (any HopoateTests.SecretKeeping<Swift.Int>).self)
        check((any Sequence<Int>).self, (any Swift.Sequence<Swift.Int>).self)
        check((any Identifiable<Int>).self, (any Swift.Identifiable<Swift.Int>).self)
        check((any Clock<Duration>).self, (any Swift.Clock<Swift.Duration>).self)
        check((any AsyncSequence<Int, Never>).self, (any Swift.AsyncSequence<Swift.Int, Swift.Never>).self)
    }

    @Test func codeForMetatypesCompiles() {
        check(Int.Type.self, Swift.Int.Type.self)
        check((any Simple).Type.self, (any HopoateTests.Simple).Type.self)
        check((any Simple.Type).self, (any HopoateTests.Simple.Type).self)
        check((any Simple & Other).Type.self, (any HopoateTests.Other & HopoateTests.Simple).Type.self)
        check(Composition.self, Swift.Array<any (HopoateTests.Other & HopoateTests.Simple).Type>.Element.self)
        check((any Simple.Type.Type).self, (any HopoateTests.Simple.Type.Type).self)
        check((any Simple.Type).Type.self, (any HopoateTests.Simple.Type).Type.self)
        check((any Keeping<Int>).Type.self, (any HopoateTests.Keeping<Swift.Int>).Type.self)
        check(AnyClass.self, (any Swift.AnyObject.Type).self)
        check(AnyMetatype.self, Swift.Array<any Any.Type>.Element.self)
        check((() -> Void).Type.self, (() -> Swift.Void).Type.self)
        check((Int, Int).Type.self, (Swift.Int, Swift.Int).Type.self)
        check(Int?.Type.self, Swift.Int?.Type.self)
    }

    // MARK: - Functions and tuples

    @Test func codeForFunctionsCompiles() {
        check((() -> Void).self, (() -> Swift.Void).self)
        check(((Int) -> Int).self, ((Swift.Int) -> Swift.Int).self)
        check((@Sendable (Int) -> Int).self, (@Sendable (Swift.Int) -> Swift.Int).self)
        check(
            (@Sendable () async throws -> any Simple).self, (@Sendable () async throws -> any HopoateTests.Simple).self)
        check((() throws(Failing) -> Void).self, (() throws(HopoateTests.Failing) -> Swift.Void).self)
        check(
            (@MainActor @Sendable (any Simple) -> Int).self,
            (@Swift.MainActor @Sendable (any HopoateTests.Simple) -> Swift.Int).self)
        check(
            (@Stage (String) async -> Int).self,
            (@HopoateTests.Stage @Sendable (Swift.String) async -> Swift.Int).self)
        check((@isolated(any) () -> Void).self, (@isolated(any) () -> Swift.Void).self)
        check((@convention(c) (Int) -> Int).self, (@convention(c) (Swift.Int) -> Swift.Int).self)
        check(
            (((Int) -> Int) -> (Int) -> Int).self, (((Swift.Int) -> Swift.Int) -> (Swift.Int) -> Swift.Int).self)
        check(((@escaping () -> Void) -> Void).self, ((@escaping () -> Swift.Void) -> Swift.Void).self)
        check(
            ((@escaping @Sendable () -> Void) -> Void).self, ((@escaping @Sendable () -> Swift.Void) -> Swift.Void).self
        )
        check((((() -> Void)?) -> Void).self, (((() -> Swift.Void)?) -> Swift.Void).self)
        check((() -> (@Sendable () -> Void)).self, (() -> (@Sendable () -> Swift.Void)).self)
        check((((Int, String)) -> Void).self, (((Swift.Int, Swift.String)) -> Swift.Void).self)
        check(((Int, String) -> Void).self, ((Swift.Int, Swift.String) -> Swift.Void).self)
        check(((any Simple.Type) -> Void).self, ((any HopoateTests.Simple.Type) -> Swift.Void).self)
        check(((Int) -> (a: Int, b: Int)).self, ((Swift.Int) -> (a: Swift.Int, b: Swift.Int)).self)
    }

    @Test func codeForFunctionsThatExpressionsCannotContainCompiles() {
        check(Inout.self, Swift.Array<(inout Swift.Int, Swift.Int...) -> Swift.Int>.Element.self)
        check(Variadic.self, Swift.Array<(Swift.Int...) -> Swift.Int>.Element.self)
        check(Sending.self, Swift.Array<(sending HopoateTests.Basis) -> sending HopoateTests.Basis>.Element.self)
        check(Consuming.self, Swift.Array<(consuming HopoateTests.Basis) -> Swift.Void>.Element.self)
        check(
            Borrowing.self,
            Swift.Array<(borrowing HopoateTests.Uncopied, consuming HopoateTests.Uncopied) -> Swift.Void>.Element.self)
        check(Isolated.self, Swift.Array<(isolated HopoateTests.Stage) -> Swift.Void>.Element.self)
        check(Inout?.self, Swift.Array<((inout Swift.Int, Swift.Int...) -> Swift.Int)?>.Element.self)
        check(Carton<Inout>.self, HopoateTests.Carton<(inout Swift.Int, Swift.Int...) -> Swift.Int>.self)
        #if compiler(>=6.2)
            check(Nonsending.self, Swift.Array<nonisolated(nonsending) () async -> Swift.Void>.Element.self)
        #endif
    }

    @Test func codeForTuplesCompiles() {
        check(Void.self, Swift.Void.self)
        check((Int, String).self, (Swift.Int, Swift.String).self)
        check((a: Int, String, c: any Simple).self, (a: Swift.Int, Swift.String, c: any HopoateTests.Simple).self)
        check((Int, (String, Bool)).self, (Swift.Int, (Swift.String, Swift.Bool)).self)
        check(((Int) -> Int, Int).self, ((Swift.Int) -> Swift.Int, Swift.Int).self)
        check((default: Int, `inout`: Int).self, (default: Swift.Int, `inout`: Swift.Int).self)
    }

    // MARK: - Optionals and collections

    @Test func codeForOptionalsAndCollectionsCompiles() {
        check(Int?.self, Swift.Int?.self)
        check(Int??.self, Swift.Int??.self)
        check((any Simple)?.self, (any HopoateTests.Simple)?.self)
        check((any Keeping<Int>)?.self, (any HopoateTests.Keeping<Swift.Int>)?.self)
        check((any Simple.Type)?.self, (any HopoateTests.Simple.Type)?.self)
        check((any Simple).Type?.self, (any HopoateTests.Simple).Type?.self)
        check((@Sendable () -> Void)?.self, (@Sendable () -> Swift.Void)?.self)
        check([any Simple].self, [any HopoateTests.Simple].self)
        check([Int?].self, [Swift.Int?].self)
        check([@Sendable () -> Void].self, [@Sendable () -> Swift.Void].self)
        check([(a: Int, b: String)].self, [(a: Swift.Int, b: Swift.String)].self)
        check([String: any Keeping<Int>].self, [Swift.String: any HopoateTests.Keeping<Swift.Int>].self)
        check(Set<Int>.self, Swift.Set<Swift.Int>.self)
        check(Result<Int, any Error>.self, Swift.Result<Swift.Int, any Swift.Error>.self)
        check([AnyHashable: Any].self, [Swift.AnyHashable: Any].self)
    }

    // MARK: - Generic and nested types

    @Test func codeForGenericTypesCompiles() {
        check(Carton<any Simple>.self, HopoateTests.Carton<any HopoateTests.Simple>.self)
        check(Carton<any Simple & Other>.self, HopoateTests.Carton<any HopoateTests.Other & HopoateTests.Simple>.self)
        check(Carton<@Sendable (Int) -> Int>.self, HopoateTests.Carton<@Sendable (Swift.Int) -> Swift.Int>.self)
        check(Carton<Composition>.self, HopoateTests.Carton<any (HopoateTests.Other & HopoateTests.Simple).Type>.self)
        check(Carton<Void>.self, HopoateTests.Carton<Swift.Void>.self)
        check(
            Carton<(Carton<Int>, Carton<Int>, Carton<String>, Carton<Int>)>.self,
            HopoateTests.Carton<
                (
                    HopoateTests.Carton<Swift.Int>, HopoateTests.Carton<Swift.Int>, HopoateTests.Carton<Swift.String>,
                    HopoateTests.Carton<Swift.Int>
                )
            >.self)
        check(Bundle<Int, any Simple>.self, HopoateTests.Bundle<Swift.Int, any HopoateTests.Simple>.self)
        check(EmptyBundle.self, Swift.Array<HopoateTests.Bundle<>>.Element.self)
        check(FirstAndRest<Int, String, Bool>.self, HopoateTests.FirstAndRest<Swift.Int, Swift.String, Swift.Bool>.self)
        check(FirstAndRest<Int>.self, HopoateTests.FirstAndRest<Swift.Int>.self)
        #if compiler(>=6.2)
            check(Vector<3, Int>.self, HopoateTests.Vector<3, Swift.Int>.self)
            // swift-format-ignore
            check(NegativeVector.self, HopoateTests.Vector< -3, Swift.Int>.self)
            check(Grid<2>.Cell<3>.self, HopoateTests.Grid<2>.Cell<3>.self)
        #endif
    }

    @Test func codeForNestedTypesCompiles() {
        check(Outside.Inside.self, HopoateTests.Outside.Inside.self)
        check(
            Outside.Box<Int>.Lid<String>.Knob.self, HopoateTests.Outside.Box<Swift.Int>.Lid<Swift.String>.Knob.self)
        check(Hashing<Int>.Inside<String>.self, HopoateTests.Hashing<Swift.Int>.Inside<Swift.String>.self)
        check(Carton<Int>.Hashes.self, HopoateTests.Carton<Swift.Int>.Hashes.self)
        check([Int].Extended.self, Swift.Array<Swift.Int>.Extended.self)
        check([Int].ExtendedForInt.self, Swift.Array<Swift.Int>.ExtendedForInt.self)
        check([String: Int].Extended.self, Swift.Dictionary<Swift.String, Swift.Int>.Extended.self)
        check(Int.Extended.self, Swift.Int.Extended.self)
        check(Unicode.Scalar.self, Swift.Unicode.Scalar.self)
        check(ContinuousClock.Instant.self, Swift.ContinuousClock.Instant.self)
    }

    @Test func codeForUnusualNamesCompiles() {
        check(`class`.self, HopoateTests.`class`.self)
        check(Outside.`default`.self, HopoateTests.Outside.`default`.self)
        check(Größe.self, HopoateTests.Größe.self)
        check(CamelCaseWords.WordsOfCamel.self, HopoateTests.CamelCaseWords.WordsOfCamel.self)
        check(CamelCaseWords.Case_Words.self, HopoateTests.CamelCaseWords.Case_Words.self)
        #if compiler(>=6.2)
            check(`two words`.self, HopoateTests.`two words`.self)
        #endif
    }

    @Test func codeForTypesOfTheLibrariesCompiles() {
        check(Task<Void, Never>.self, Swift.Task<Swift.Void, Swift.Never>.self)
        check(AsyncStream<Int>.self, Swift.AsyncStream<Swift.Int>.self)
        check(KeyPath<String, Int>.self, Swift.KeyPath<Swift.String, Swift.Int>.self)
        check(UnsafePointer<Uncopied>.self, Swift.UnsafePointer<HopoateTests.Uncopied>.self)
        check(
            Mirror.Children.self, Swift.AnyCollection<(label: Swift.String?, value: Any)>.self)
        check(NSString.self, Foundation.NSString.self)
        check(timespec.self, timespec.self)
        check(UnsafeMutablePointer<timespec>.self, Swift.UnsafeMutablePointer<timespec>.self)
    }

    @Test func codeForNoncopyableTypesCompiles() {
        checkNoncopyable(Uncopied.self, HopoateTests.Uncopied.self)
        checkNoncopyable(Slot<Uncopied>.self, HopoateTests.Slot<HopoateTests.Uncopied>.self)
    }

    // MARK: - Private types and types in functions

    @Test func codeForPrivateTypesCompilesInTheirFile() {
        check(Concealed.self, HopoateTests.Concealed.self)
        check(Concealed.Inside.self, HopoateTests.Concealed.Inside.self)
        check((any Hiding).self, (any HopoateTests.Hiding).self)
        check([any Hiding].self, [any HopoateTests.Hiding].self)
        check(Carton<Concealed>.self, HopoateTests.Carton<HopoateTests.Concealed>.self)
    }

    @Test func codeForTypesInFunctionsCompilesInTheFunction() {
        struct Local<Content> { struct Inside {} }
        protocol LocalProtocol {}
        check(Local<Int>.self, Local<Swift.Int>.self)
        check(Local<Int>.Inside.self, Local<Swift.Int>.Inside.self)
        check((any LocalProtocol).self, (any LocalProtocol).self)
        check(Carton<Local<Int>>.self, HopoateTests.Carton<Local<Swift.Int>>.self)
        let closure = {
            struct InClosure {}
            check(InClosure.self, InClosure.self)
        }
        closure()
        check(type(of: opaque()).self, HopoateTests.Sealed.self)
        expectLabel(Local<Int>.self, "HopoateTests.AdviceTests.(function).Local<Swift.Int>")
    }

    // MARK: - Types without source

    @Test func typeWithoutSourceIsAPlaceholder() {
        // The run time tells the associated types in alphabetical order only.
        expectPlaceholder(
            (any Mapping<Int, String>).self, "any HopoateTests.Mapping<Key == Swift.String, Value == Swift.Int>")
        // The run time cannot name it.
        expectPlaceholder((any Keeping<Int>.Type).self, "a metatype of a protocol with arguments")
        expectPlaceholder([any Keeping<Int>.Type]?.self, "a metatype of a protocol with arguments")
        // The run time names another type.
        expectPlaceholder(Autoclosure.self, "(() -> Swift.Int) -> Swift.Void")
        // After a dot, the name means the metatype.
        expectPlaceholder(NamedType.self, "HopoateTests.Outside.`Type`")
        // Its name contains that of the function.
        protocol LocalKeeping<Element> { associatedtype Element }
        let text = message((any LocalKeeping<Int>).self)
        #expect(text.contains("`register(…, for: <#any LocalKeeping"), "\(text)")
    }

    // MARK: - Calls

    /// An instance for the dots in a call.
    private func instance<Service>() -> Service { preconditionFailure("no call runs") }

    @Test func advisedCallsCompile() {
        let container = DependencyContainer()
        container.register(Carton<Int>(), for: Carton<Int>.self, named: "a")
        container.register(Carton<Bool>.self) { (_, _: Int) in Carton<Bool>() }
        container.register(Carton<String>(), for: Carton<String>.self)
        let missing = message(Carton<Int>.self, in: container)
        check(missing) { container.register(instance(), for: HopoateTests.Carton<Swift.Int>.self) }
        check(missing) { container.resolve(HopoateTests.Carton<Swift.Int>.self, named: "a") }
        let optional = message(Carton<String>?.self, in: container)
        check(optional) { container.optionalResolve(HopoateTests.Carton<Swift.String>.self) }
        let list = message([Carton<String>].self, in: container)
        check(list) { container.resolveAll(HopoateTests.Carton<Swift.String>.self) }
        let arguments = message(Carton<Bool>.self, in: container)
        check(arguments) { container.resolve(HopoateTests.Carton<Swift.Bool>.self, arguments: instance() as Int) }
        let decorated = trap { container.decorate(Carton<Int>.self) { carton, _ in carton } }?.description ?? "no trap"
        check(decorated) { container.decorate(HopoateTests.Carton<Swift.Int>.self, named: "a") { _, _ in instance() } }
    }
}

// MARK: - Reading this file

extension AdviceTests {
    private func message<Service>(_ type: Service.Type, in container: DependencyContainer = .init()) -> String {
        failure { () throws(DependencyError) in try container.require(type) }?.description ?? "no error"
    }

    /// Expects that the message for a missing type advises the second argument of the call at this line, which is the same type.
    private func check<Service, Advised>(
        _ type: Service.Type, _ advised: Advised.Type, location: SourceLocation = #_sourceLocation
    ) {
        #expect(type == advised, sourceLocation: location)
        expect("`register(…, for: \(Call(at: location).lastArgument))`", in: message(type), location)
    }

    /// The same for types that `require` does not take.
    private func checkNoncopyable<Service: ~Copyable, Advised: ~Copyable>(
        _ type: Service.Type, _ advised: Advised.Type, location: SourceLocation = #_sourceLocation
    ) {
        #expect(ObjectIdentifier(type) == ObjectIdentifier(advised), sourceLocation: location)
        let text = trap { DependencyContainer().withService(Service.self) { _ in } }?.description ?? "no trap"
        expect("`register(noncopyable: …, for: \(Call(at: location).lastArgument))`", in: text, location)
    }

    /// Expects that a message advises the call in the closure.
    private func check<Result>(
        _ message: String, location: SourceLocation = #_sourceLocation, _ call: () -> Result
    ) {
        let code = Call(at: location).closure.replacingOccurrences(of: "container.", with: "")
            .replacingOccurrences(of: "instance()asInt", with: "…").replacingOccurrences(of: "instance()", with: "…")
            .replacingOccurrences(of: "{_,_in…}", with: "{…}")
        expect("`\(code)`", in: message, location)
    }

    private func expectPlaceholder<Service>(
        _ type: Service.Type, _ label: String, location: SourceLocation = #_sourceLocation
    ) {
        let text = message(type)
        expect("Cannot resolve '\(label)'", in: text, location)
        expect("`register(…, for: <#\(label)#>)`", in: text, location)
    }

    private func expectLabel<Service>(
        _ type: Service.Type, _ label: String, location: SourceLocation = #_sourceLocation
    ) {
        expect("Cannot resolve '\(label)'", in: message(type), location)
    }

    private func expect(_ part: String, in text: String, _ location: SourceLocation) {
        #expect(
            text.filter { !$0.isWhitespace }.contains(part.filter { !$0.isWhitespace }),
            "'\(part)' is missing in: \(text)", sourceLocation: location)
    }
}

/// A call in this file, as its source without white space.
private struct Call {
    private static let lines = (try? String(contentsOfFile: #filePath, encoding: .utf8))?.components(separatedBy: "\n")

    /// The call, from the bracket after its name to the end of the statement.
    private let text: Substring

    init(at location: SourceLocation) {
        var text = ""
        var depth = 0
        for line in (Self.lines ?? [])[(location.line - 1)...] {
            text += line.filter { !$0.isWhitespace }
            depth += line.reduce(0) { $0 + ("({".contains($1) ? 1 : ")}".contains($1) ? -1 : 0) }
            if depth == 0 { break }
        }
        self.text = text.drop { $0 != "(" }
    }

    var lastArgument: String {
        (text.range(of: ".self,").map { text[$0.upperBound...] } ?? text).dropLast().description
    }

    var closure: String { String(text[(text.range(of: "){")?.upperBound ?? text.startIndex)...].dropLast()) }
}

private struct Sealed: Sendable {}
private func opaque() -> some Sendable { Sealed() }

// MessageTests.swift has another private type of this name.
private struct HiddenShelf: Sendable {}
func registerHiddenShelf(in container: DependencyContainer) { container.register(HiddenShelf(), for: HiddenShelf.self) }
