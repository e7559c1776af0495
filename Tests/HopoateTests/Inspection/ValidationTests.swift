import Hopoate
import Testing

private protocol Log: Sendable {}
private struct ConsoleLog: Log {}
private final class Store: @unchecked Sendable {
    init(log: any Log) {}
}
private final class Shop: @unchecked Sendable {
    init(store: Store, log: any Log) {}
}
private final class Optionally: @unchecked Sendable {
    init(log: (any Log)?) {}
}
private final class Listing: @unchecked Sendable {
    init(logs: [any Log]) {}
}
private final class Hen: @unchecked Sendable {
    init(egg: Egg) {}
}
private final class Egg: @unchecked Sendable {
    init(nest: Nested) {}
}
private final class Nested: @unchecked Sendable {
    init(hen: Hen) {}
}
private final class Selfish: @unchecked Sendable {
    init(self: Selfish) {}
}
private final class Request: @unchecked Sendable {}
private final class Session: @unchecked Sendable {
    init(request: Request) {}
}
private final class Cache: @unchecked Sendable {
    init(session: Session) {}
}
private final class Tenants: @unchecked Sendable {
    init(request: [Request]) {}
}
private protocol Reading: Sendable {}
extension Store: Reading {}
private final class Reader: @unchecked Sendable {
    init(reading: any Reading) {}
}

/// Validation, which finds errors without creating an instance.
@Suite struct ValidationTests {
    let container = DependencyContainer()

    private func findings(
        in container: DependencyContainer? = nil, _ location: SourceLocation = #_sourceLocation
    ) -> [DependencyValidationError.Finding] {
        let container = container ?? self.container
        let error = #expect(throws: DependencyValidationError.self, sourceLocation: location) {
            try container.validate()
        }
        return error?.findings ?? []
    }

    private func ends(_ chain: [String]) -> [Substring] { chain.map { $0.split(separator: ".").last ?? "" } }

    @Test func completeContainerIsValid() throws {
        container.register(ConsoleLog(), for: (any Log).self)
        container.register(Store.self, using: Store.init)
        container.register(Shop.self, using: Shop.init)
        let report = try container.validate()
        #expect(report.checked == 3)
        #expect(report.unknown.isEmpty)
        #expect(try DependencyContainer().validate().checked == 0)
    }

    @Test func nothingIsCreated() throws {
        container.register((any Log).self) { _ in
            Issue.record("a creator ran")
            return ConsoleLog()
        }
        container.register(Store.self) { (log: any Log) -> Store in
            Issue.record("an initializer ran")
            return Store(log: log)
        }
        container.register(Shop.self, using: Shop.init)
        try container.validate()
    }

    @Test func missingServiceIsFoundWithCallSiteAndRemedy() {
        container.register(Store.self, using: Store.init)
        let line = #line - 1
        let found = findings()
        #expect(found.count == 1)
        #expect(found.first?.kind == .missing)
        #expect(found.first?.service == Store.self)
        #expect(found.first.map { ends($0.chain) } == ["Store", "Log"])
        #expect(found.first?.place == "HopoateTests/ValidationTests.swift:\(line)")
        let text = found.first?.description ?? ""
        #expect(text.hasPrefix("HopoateTests/ValidationTests.swift:\(line): error: 'HopoateTests."))
        #expect(
            text.hasSuffix(
                "Log', which is not registered. Register it, or make the parameter optional. [hopoate.missing]"))
    }

    @Test func nearMissIsSuggested() {
        container.register((any Log).self, named: "file") { _ in ConsoleLog() }
        container.register(Store.self, using: Store.init)
        #expect(findings().map(\.kind) == [.name])
        #expect(findings().first?.description.contains("Log' named \"file\")") != true)
        #expect(findings().first?.description.contains("Log named \"file\"')") == true)
    }

    @Test func optionalDependencyMayBeMissing() throws {
        container.register(Optionally.self, using: Optionally.init)
        try container.validate()
    }

    @Test func optionalAndListDependenciesAreValidated() {
        container.register(Optionally.self) { (store: Store?) in Optionally(log: nil) }
        container.register(Listing.self) { (stores: [Store]) in Listing(logs: []) }
        container.register(Store.self, using: Store.init)
        // Shadowed, but `resolveAll` finds it.
        container.register(Store.self, using: { (shop: Shop) in Store(log: ConsoleLog()) })
        container.register(Store.self) { _ in Store(log: ConsoleLog()) }
        let found = findings()
        #expect(found.map(\.kind) == [.missing, .missing])
        #expect(Set(found.flatMap { ends($0.chain) }) == ["Store", "Log", "Shop"])
    }

    @Test func shadowedRegistrationIsNotValidated() throws {
        container.register(Store.self, using: Store.init)
        container.register(Store.self) { _ in Store(log: ConsoleLog()) }
        let unknown = try container.validate().unknown
        #expect(unknown.count == 1)
        #expect(unknown.first?.service == Store.self)
    }

    @Test func cycleIsFoundOnceWithItsChain() {
        container.register(Hen.self, using: Hen.init)
        container.register(Egg.self, using: Egg.init)
        container.register(Nested.self, using: Nested.init)
        container.register(Selfish.self, using: Selfish.init)
        let found = findings()
        #expect(found.map(\.kind) == [.circular, .circular])
        #expect(found.map { ends($0.chain) } == [["Egg", "Nested", "Hen", "Egg"], ["Selfish", "Selfish"]])
        #expect(found[0].description.contains("depends on itself: "))
        #expect(found[0].description.contains(" → "))
    }

    @Test func scopedDependencyOfASingletonIsCaptive() {
        container.register(Request.self, lifetime: .scoped) { _ in Request() }
        container.register(Session.self, using: Session.init)
        let found = findings()
        #expect(found.map(\.kind) == [.captive])
        #expect(found.first?.service == Session.self)
        #expect(found.first.map { ends($0.chain) } == ["Session", "Request"])
        #expect(found.first?.description.contains("has the lifetime 'singleton' and would keep 'HopoateTests.") == true)
        #expect(found.first?.description.contains("which has the lifetime 'scoped': ") == true)
    }

    @Test(arguments: ["transient", "graph"]) func captiveDependencyIsFoundThroughTransients(lifetime: String) {
        let between: Lifetime = lifetime == "graph" ? .graph : .transient
        container.register(Request.self, lifetime: .scoped) { _ in Request() }
        container.register(Session.self, lifetime: between, using: Session.init)
        container.register(Cache.self, lifetime: .weak, using: Cache.init)
        let found = findings()
        #expect(found.map(\.kind) == [.captive])
        #expect(found.first.map { ends($0.chain) } == ["Cache", "Session", "Request"])
    }

    @Test func captiveDependenciesInListsAndCustomLifetimesAreFound() {
        struct Own: LifetimePolicy {
            func makeStorage<Instance>(for type: Instance.Type) -> InstanceStorage<Instance> { InstanceStorage() }
        }
        container.register(Request.self, lifetime: .scoped) { _ in Request() }
        container.register(Tenants.self, lifetime: Lifetime("own", policy: Own()), using: Tenants.init)
        container.register(Session.self, lifetime: .cached(in: DependencyScope("session")), using: Session.init)
        #expect(findings().map { ends($0.chain) } == [["Session", "Request"], ["Tenants", "Request"]])
    }

    @Test func scopedServiceMayDependOnAScopedService() throws {
        container.register(Request.self, lifetime: .scoped) { _ in Request() }
        container.register(Session.self, lifetime: .scoped, using: Session.init)
        container.register(Cache.self, lifetime: .transient, using: Cache.init)
        try container.validate()
    }

    @Test func aliasIsFollowedToItsTarget() {
        container.register(Reader.self, using: Reader.init)
        container.forward((any Reading).self, to: Store.self) { $0 }
        #expect(findings().map { ends($0.chain) } == [["Reading", "Store"]])
        container.register(Store.self, using: Store.init)
        container.forward((any Log).self, to: Reader.self) { _ in ConsoleLog() }
        #expect(findings().map(\.kind) == [.circular])
    }

    @Test func decoratorDependsOnTheDecoratedService() throws {
        container.register(Store.self, using: Store.init)
        container.decorate(Store.self) { inner, _ in inner }
        #expect(findings().map { ends($0.chain) } == [["Store", "Log"]])
        container.register(ConsoleLog(), for: (any Log).self)
        #expect(try container.validate().unknown.isEmpty)
        let child = container.makeChild()
        child.decorate(Store.self) { inner, _ in inner }
        #expect(try child.validate().unknown.count == 1)
    }

    @Test func closuresAreListedAsUnknown() throws {
        container.register(Store.self) { _ in Store(log: ConsoleLog()) }
        container.hopoate1.register(service: (any Log).self, cacheService: false) { ConsoleLog() }
        container.register(Request.self, lifetime: .transient) { (_, id: Int) in Request() }
        container.register(Session.self, lifetime: .eager) { _ in Session(request: Request()) }
        let report = try container.validate()
        #expect(report.checked == 1)
        #expect(report.unknown.count == 3)
        #expect(report.unknown.contains { $0.service == Request.self && $0.arguments == "(Swift.Int)" })
    }

    @Test func childMayDependOnServicesOfItsParent() throws {
        container.register(ConsoleLog(), for: (any Log).self)
        let child = container.makeChild()
        child.register(Store.self, using: Store.init)
        try child.validate()
        #expect(try container.validate().checked == 1)
    }

    @Test func singletonOfTheParentDependsOnTheParentOnly() {
        container.register(Store.self, using: Store.init)
        let child = container.makeChild()
        child.register(ConsoleLog(), for: (any Log).self)
        #expect(findings(in: child).map { ends($0.chain) } == [["Store", "Log"]])
    }

    @Test func transientOfTheParentMayDependOnTheChild() throws {
        container.register(Store.self, lifetime: .scoped, using: Store.init)
        container.register(Shop.self, lifetime: .transient, using: Shop.init)
        let child = container.makeChild()
        child.register(ConsoleLog(), for: (any Log).self)
        try child.validate()
        #expect(findings().count == 2)
    }

    @Test func validationAgreesWithResolving() throws {
        container.register(Store.self, lifetime: .scoped, using: Store.init)
        let child = container.makeChild()
        child.register(ConsoleLog(), for: (any Log).self)
        try child.validate()
        _ = try child.require(Store.self)
        #expect(throws: DependencyValidationError.self) { try container.validate() }
        #expect(throws: DependencyError.self) { _ = try container.require(Store.self) }
    }

    @Test func allFindingsAreReportedTogether() {
        container.register(Store.self, using: Store.init)
        container.register(Hen.self, using: Hen.init)
        container.register(Egg.self, using: Egg.init)
        container.register(Nested.self, using: Nested.init)
        container.register(Request.self, lifetime: .scoped) { _ in Request() }
        container.register(Session.self, using: Session.init)
        let error = #expect(throws: DependencyValidationError.self) { try container.validate() }
        #expect(Set(error?.findings.map(\.kind) ?? []) == [.missing, .circular, .captive])
        let lines = error?.description.split(separator: "\n") ?? []
        #expect(lines.count == 4)
        #expect(lines.first == "3 findings in the registrations:")
        let identifiers = lines.dropFirst().compactMap { $0.split(separator: " ").last }
        #expect(Set(identifiers) == ["[hopoate.missing]", "[hopoate.circular]", "[hopoate.captive]"])
    }

    @Test func longChainsAndWideGraphsAreWalked() {
        struct Chain: TypeVisitor {
            let container: DependencyContainer
            func visit<Parameter>(_ type: Parameter.Type, number: Int) {
                container.register(Tag<Parameter>.self) { (_: Tag<Nest<Parameter>>, _: Tag<Nest<Parameter>>) in
                    preconditionFailure("not to be run")
                }
            }
        }
        visitTypes(200, Chain(container: container))
        let found = findings()
        #expect(found.map(\.kind) == [.missing])
    }
}

extension DependencyContainer {
    /// An overload without the label, for trailing closures.
    fileprivate func register<Service: Sendable, each Parameter>(
        _ type: Service.Type, _ initializer: @escaping @Sendable (repeat each Parameter) throws -> Service
    ) {
        register(type, using: initializer)
    }
}
