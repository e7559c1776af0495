import Hopoate
import Testing

private struct Invoice: Sendable { var number = 0 }
private struct Price: Sendable {}

/// Closures with typed parameters, which are services unless the container comes first.
@Suite(.mayBlock) struct TypedClosureTests {
    static let remedy = "Begin the parameters of a closure that takes arguments with the container: `{ (_, value:"

    let container = DependencyContainer()

    private func resolveError<Service>(_ type: Service.Type) -> String {
        failure { () throws(DependencyError) in try container.require(type) }?.description ?? "no error"
    }

    private func finding() -> String {
        let error = #expect(throws: DependencyValidationError.self) { try container.validate() }
        return error?.description ?? "no error"
    }

    @Test func forgottenContainerIsNamedWhenAPlainValueIsMissing() {
        container.register(Invoice.self) { (number: Int) in Invoice(number: number) }
        #expect(finding().contains("\(Self.remedy) Swift.Int) in … }`."))
        #expect(resolveError(Invoice.self).contains("\(Self.remedy) Swift.Int) in … }`."))
    }

    @Test func forgottenContainerIsNamedForAListOfPlainValues() {
        container.register(Invoice.self) { (lines: [String]) in Invoice(number: lines.count) }
        #expect(finding().contains(Self.remedy))
        #expect(resolveError(Invoice.self).contains(Self.remedy))
    }

    @Test func forgottenContainerIsNotNamedForAService() {
        container.register(Invoice.self) { (_: Price) in Invoice() }
        #expect(!finding().contains(Self.remedy))
        #expect(!resolveError(Invoice.self).contains(Self.remedy))
    }

    /// Only a factory takes arguments.
    @Test func forgottenContainerIsNotNamedToACallerOutsideOfAFactory() {
        #expect(!resolveError(Int.self).contains(Self.remedy))
    }

    @Test func registeredPlainValueIsAService() throws {
        container.register(7, for: Int.self)
        container.register(Invoice.self) { (number: Int) in Invoice(number: number) }
        try container.validate()
        #expect(container.resolve(Invoice.self).number == 7)
    }

    @Test func keyedServiceNamesTheForgottenContainer() {
        let container = container
        let error = trap {
            container.register(Invoice.self, lifetime: .keyed) { (number: Int) in Invoice(number: number) }
        }
        #expect(error?.reason == .invalid)
        for part in [
            "'keyed', but the parameters of its", "are services, not arguments. \(Self.remedy) Int) in … }`, or",
        ] {
            #expect(error?.description.contains(part) == true, "\(part) in \(error.map(String.init) ?? "nothing")")
        }
    }

    @Test func callWithArgumentsShowsTheContainerOfTheFactory() {
        container.register(Invoice.self) { (number: Int) in Invoice(number: number) }
        let error = failure { () throws(DependencyError) in try container.require(Invoice.self, arguments: 7) }
        #expect(error?.description.contains("{ (container, …) in … }` and a factory that takes (Swift.Int)") == true)
    }

    // MARK: - Lifetimes that a factory cannot have

    @Test func eagerAsynchronousFactoryIsRefusedWithTypePlaceAndRemedy() {
        let container = container
        let error = trap {
            container.register(Price.self, lifetime: .eager, fileID: "There.swift", line: 7) { _ async in Price() }
        }
        expectParts(
            error, "Price' at There.swift:7: it is eager", "Use the lifetime `.singleton`, and call `warmUp()`.")
    }

    @Test(arguments: [Lifetime.singleton, .eager])
    func oneInstanceForAllArgumentsIsRefusedWithTypePlaceAndRemedy(lifetime: Lifetime) {
        let container = container
        let error = trap {
            container.register(Price.self, lifetime: lifetime, fileID: "There.swift", line: 7) { (_, _: Int) in Price()
            }
        }
        expectParts(
            error, "Price(Swift.Int)' at There.swift:7: it has the lifetime '\(lifetime)'", "Use `.keyed`, `.weak`")
    }

    private func expectParts(_ error: DependencyError?, _ parts: String...) {
        #expect(error?.reason == .invalid)
        for part in parts {
            #expect(error?.description.contains(part) == true, "\(part) in \(error.map(String.init) ?? "nothing")")
        }
    }
}
