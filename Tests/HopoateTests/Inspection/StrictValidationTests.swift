import Hopoate
import HopoateServer
import Testing

private protocol Log: Sendable {}
private struct ConsoleLog: Log {}
private struct FileLog: Log {}
private struct User: Sendable {}
private struct Page: Sendable {
    init(log: any Log) {}
}
private struct OptionalPage: Sendable {
    init(log: (any Log)?) {}
}
private struct ListPage: Sendable {
    init(logs: [any Log]) {}
}
private struct Panel: Sendable {
    init(page: Page) {}
}

extension DependencyValues {
    fileprivate enum Strictness: DependencyKey {
        static var defaultValue: Int { 0 }
    }
    fileprivate var strictness: Int {
        get { self[Strictness.self] }
        set { self[Strictness.self] = newValue }
    }
}

/// Mistakes that are legal, so that only strict validation finds them.
@Suite struct StrictValidationTests {
    private let app = DependencyContainer()

    private func findings(
        _ rules: DependencyValidationRules = .strict, _ roots: DependencyRoot...,
        prepare: (DependencyContainer) throws -> Void = { _ in }
    ) -> [DependencyValidationError.Finding] {
        do {
            try app.validate(rules, roots: roots, prepare: prepare)
            return []
        } catch let error as DependencyValidationError {
            return error.findings
        } catch {
            Issue.record(error)
            return []
        }
    }

    /// Checks that strict validation has one finding of a kind, and that the standard one has none.
    private func expectOne(
        _ kind: DependencyValidationError.Finding.Kind, _ text: String, _ roots: DependencyRoot...,
        prepare: (DependencyContainer) throws -> Void = { _ in }, _ location: SourceLocation = #_sourceLocation
    ) throws {
        try app.validate(roots: roots, prepare: prepare)
        let error = #expect(throws: DependencyValidationError.self, sourceLocation: location) {
            try app.validate(.strict, roots: roots, prepare: prepare)
        }
        let finding = try #require(error?.findings.first, sourceLocation: location)
        #expect(error?.findings.map(\.kind) == [kind], sourceLocation: location)
        #expect(finding.place?.hasPrefix("HopoateTests/StrictValidationTests.swift:") == true, sourceLocation: location)
        #expect(finding.description.hasSuffix(" [\(kind)]"), sourceLocation: location)
        #expect(finding.description.contains(text), "\(finding)", sourceLocation: location)
        try app.validate(.strict.allowing(kind), roots: roots, prepare: prepare)
    }

    @Test func aContainerWithoutMistakesHasNoFindings() throws {
        app.register(ConsoleLog(), for: (any Log).self)
        app.register(Page.self, using: Page.init)
        app.register(Panel.self, lifetime: .transient) { (page: Page, _: User) in Panel(page: page) }
        let report = try app.validate(.strict, roots: Panel.self) { $0.register(User(), for: User.self) }
        #expect(report.checked == 4)
        try app.seal(.strict, roots: [DependencyRoot(Panel.self)]) { $0.register(User(), for: User.self) }
    }

    // MARK: - Opaque closures

    @Test func aClosureThatTakesTheContainerIsOpaque() throws {
        app.register(Page.self) { container in Page(log: try container()) }
        try expectOne(.opaque, "Page' is registered with a closure", DependencyRoot(Page.self))
        #expect(findings(.strict.allowing(.opaque, for: Page.self)).isEmpty)
        #expect(findings(.strict.allowing(.opaque, for: Panel.self)).map(\.kind) == [.opaque])
    }

    @Test func aDecoratorIsOpaque() throws {
        app.register((any Log).self) { () in ConsoleLog() }
        app.decorate((any Log).self) { inner, _ in inner }
        try expectOne(.opaque, "Log' has a decorator", DependencyRoot((any Log).self))
    }

    @Test func aCompletionIsOpaque() throws {
        app.register((any Log).self, using: ConsoleLog.init, afterCreation: { _, _ in })
        try expectOne(.opaque, "Log' has an `afterCreation` closure", DependencyRoot((any Log).self))
    }

    @Test func aRegisteredContainerIsOpaque() throws {
        app.register(DependencyContainer(), for: DependencyContainer.self)
        try expectOne(.opaque, "can resolve anything", DependencyRoot(DependencyContainer.self))
    }

    // MARK: - Duplicates

    @Test func aSecondRegistrationOfTheSameContainerIsADuplicate() throws {
        app.register((any Log).self) { () in ConsoleLog() }
        let line = #line - 1
        app.register((any Log).self) { () in FileLog() }
        try expectOne(
            .duplicate, "registered at HopoateTests/StrictValidationTests.swift:\(line), too", .init((any Log).self))
    }

    @Test func replacedNamedAndShadowedInAChildAreNoDuplicates() {
        app.register((any Log).self) { () in ConsoleLog() }
        app.register((any Log).self, replacing: true) { () in FileLog() }
        app.register((any Log).self, named: "file") { () in FileLog() }
        let found = findings(.strict, .init((any Log).self), .init((any Log).self, named: "file")) {
            $0.register(FileLog(), for: (any Log).self)
        }
        #expect(found.map(\.kind) == [])
    }

    @Test func registrationsThatAListTakesAreNoDuplicates() {
        app.register((any Log).self) { () in ConsoleLog() }
        app.register((any Log).self) { () in FileLog() }
        app.register(ListPage.self, using: ListPage.init)
        #expect(findings(.strict, .init(ListPage.self)).isEmpty)
    }

    @Test(arguments: [Lifetime.eager, .singleton, .transient, .scoped]) func aDecoratorIsNoDuplicate(lifetime: Lifetime)
    {
        app.register((any Log).self, lifetime: lifetime, using: { () in ConsoleLog() })
        app.decorate((any Log).self) { inner, _ in inner }
        #expect(findings(.strict.allowing(.opaque)).isEmpty)
    }

    // MARK: - Unused registrations

    @Test func aRegistrationThatNoRootNeedsIsUnused() throws {
        app.register(ConsoleLog(), for: (any Log).self)
        app.register(Page.self, using: Page.init)
        app.register(Panel.self, using: Panel.init)
        try expectOne(.unused, "Panel'. Remove the registration", .init(Page.self))
        #expect(findings().isEmpty, "without roots, nothing is unused")
    }

    @Test func aValueOfARequestThatNoRootNeedsIsUnused() throws {
        app.register(ConsoleLog(), for: (any Log).self)
        try expectOne(.unused, "User'. Remove", .init((any Log).self)) { $0.register(User(), for: User.self) }
    }

    @Test func aRegistrationThatAClosureMayResolveIsNotUnused() {
        app.register(ConsoleLog(), for: (any Log).self)
        app.register(Page.self) { container in Page(log: try container()) }
        #expect(findings(.strict.allowing(.opaque), .init(Page.self)).isEmpty)
    }

    @Test func aServiceThatHasBeenCreatedIsNotUnused() {
        app.register((any Log).self) { () in ConsoleLog() }
        app.register(Page.self, lifetime: .eager, using: Page.init)
        #expect(findings(.strict, .init(Page.self)).isEmpty)
    }

    @Test func servicesWithArgumentsAreNotUnused() {
        app.register(ConsoleLog(), for: (any Log).self)
        app.register(User.self) { (_, _: Int) in User() }
        #expect(findings(.strict.allowing(.opaque), .init((any Log).self)).isEmpty)
    }

    @Test func valuesAndHealthChecksHaveNoFindings() {
        app.values.strictness = 7
        app.register((any Log).self) { () in ConsoleLog() }
        app.addHealthCheck(of: (any Log).self) { _ in }
        app.addHealthCheck(of: (any Log).self, for: .liveness) { _ in }
        #expect(findings(.strict, .init((any Log).self)).isEmpty)
    }

    // MARK: - Optionals, overrides and asynchronous services

    @Test func anOptionalDependencyThatIsMissingIsFound() throws {
        app.register((any Log).self, named: "file") { () in FileLog() }
        app.register(OptionalPage.self, using: OptionalPage.init)
        try expectOne(
            .optional, "Log', which is not registered (registered: 'any HopoateTests.", .init(OptionalPage.self),
            .init((any Log).self, named: "file"))
    }

    @Test func aReplacementOfNothingIsFound() throws {
        app.register((any Log).self, replacing: true) { () in FileLog() }
        try expectOne(.override, "nothing was registered before", .init((any Log).self))
    }

    @Test func aReplacementInAChildOverridesTheParent() {
        app.register((any Log).self) { () in ConsoleLog() }
        let found = findings(.strict, .init((any Log).self)) {
            $0.register(FileLog(), for: (any Log).self, replacing: true)
        }
        #expect(found.isEmpty)
    }

    @Test(arguments: [Lifetime.transient, .scoped, .weak]) func aSynchronousRootCannotCreateAnAsynchronousService(
        lifetime: Lifetime
    ) throws {
        final class Connection: Sendable {}
        struct Query: Sendable {
            init(connection: Connection) {}
        }
        app.register(Connection.self, lifetime: lifetime) { () async in Connection() }
        app.register(Query.self, lifetime: .transient, using: Query.init)
        #expect(findings(.strict, .init(Query.self)).isEmpty)
        try expectOne(.async, "Query' is resolved synchronously", .init(Query.self, isSynchronous: true))
    }

    @Test func aSingletonExistsAfterTheWarmUp() {
        final class Connection: Sendable {}
        app.register(Connection.self) { () async in Connection() }
        #expect(findings(.strict, .init(Connection.self, isSynchronous: true)).isEmpty)
    }

    // MARK: - Rules

    @Test func rulesAllowServicesOrAll() {
        app.register(Page.self) { container in Page(log: try container()) }
        app.register(Panel.self) { container in Panel(page: try container()) }
        #expect(findings(.strict.allowing(.opaque, for: Page.self)).map { "\($0.service)" } == ["Panel"])
        #expect(findings(.strict.allowing(.opaque, for: Page.self, Panel.self)).isEmpty)
        #expect(findings(.strict.allowing(.opaque, for: Page.self).allowing(.opaque, for: Panel.self)).isEmpty)
        #expect(findings(.strict.allowing(.opaque).allowing(.opaque, for: Panel.self)).isEmpty)
        #expect(findings(.strict.allowing(.unused)).count == 2)
    }

    @Test func standardFindingsCanBeAllowed() throws {
        app.register(Page.self, using: Page.init)
        #expect(findings(.standard).map(\.kind) == [.missing])
        try app.validate(.standard.allowing(.missing, for: Page.self))
    }

    /// Scripts depend on the identifiers.
    @Test(arguments: [
        (DependencyValidationError.Finding.Kind.missing, "hopoate.missing"), (.name, "hopoate.name"),
        (.arguments, "hopoate.arguments"), (.circular, "hopoate.circular"), (.captive, "hopoate.captive"),
        (.opaque, "hopoate.opaque"), (.duplicate, "hopoate.duplicate"), (.unused, "hopoate.unused"),
        (.optional, "hopoate.optional"), (.override, "hopoate.override"), (.async, "hopoate.async"),
    ])
    func identifiersStay(kind: DependencyValidationError.Finding.Kind, identifier: String) {
        #expect(kind.description == identifier)
    }

    // MARK: - Seals

    @Test func aSealedContainerStaysSealedWithFindings() {
        app.register(Page.self, using: Page.init)
        #expect(throws: DependencyValidationError.self) { try app.seal(.strict) }
        #expect(app.isSealed)
    }
}
