import Hopoate
import HopoateTestingHelpers
import Testing

// The tests of heroin's public API, as Tests/README.md lists them.

private protocol Client: AnyObject, Sendable { var host: String { get } }
private final class HTTPClient: Client {
    let host: String
    init(host: String) { self.host = host }
}
private struct User {}
private final class Repository<Element>: @unchecked Sendable {}

/// Its properties are the services.
private class Application: @unchecked Sendable {
    var client: any Client = HTTPClient(host: "application")
    let httpService = 80
}
private final class Extended: Application, @unchecked Sendable {
    let title = "extended"
}

/// The services of one user flow.
private struct SignUp: Sendable {
    let client: any Client = HTTPClient(host: "sign up")
    let title = "sign up"
    /// Returns a new instance at each access.
    var draft: Tracked { tracker.make() }
    let tracker = Tracker()
}

/// Asks for its client at each access.
private final class Screen {
    var client: any Client { resolve((any Client).self) }
    @DynamicDependency var injected: any Client
    @DynamicDependency(.client) var named: any Client
}

extension DependencyName {
    fileprivate static let client: DependencyName = "client"
}

@Suite struct HeroinTests {
    let container = DependencyContainer()
    private let flow = SignUp()

    @Test func propertiesAreServicesByType() {
        container.install(Application(), \.client, \.httpService)
        #expect(container.resolve((any Client).self).host == "application")
        #expect(container.resolve(Int.self) == 80)
    }

    @Test func propertiesAreServicesByName() {
        container.install(flow, usingPropertyNames: true, \.client, \.title)
        #expect(container.resolve((any Client).self, named: .client).host == "sign up")
        #expect(container.resolve(String.self, named: "title") == "sign up")
    }

    @Test func namesAreThoseOfTheProperties() {
        struct Services: Sendable { let httpService = 80 }
        container.install(Services(), usingPropertyNames: true, \.httpService)
        #expect(container.resolve(Int.self, named: "httpService") == 80)
        #expect(!container.canResolve(Int.self, named: "hTTPService"))
    }

    @Test func severalContainersAreInstalledOneAfterTheOther() {
        container.install(Application(), \.client)
        container.install(flow, \.title)
        #expect(container.canResolve((any Client).self))
        #expect(container.canResolve(String.self))
    }

    @Test func unregisteringAContainerUncoversThePreviousServices() {
        container.install(Application(), \.client)
        let installation = container.install(flow, usingPropertyNames: true, \.client, \.title)
        #expect(container.resolve((any Client).self).host == "sign up")
        container.uninstall(installation)
        #expect(container.resolve((any Client).self).host == "application")
        #expect(!container.canResolve(String.self))
        #expect(!container.canResolve(String.self, named: "title"))
    }

    @Test func unregisteringLeavesTheOthersAlone() {
        let first = container.install(Application(), \.client)
        container.install(flow, \.client)
        container.uninstall(first)
        container.uninstall(first)
        #expect(container.resolve((any Client).self).host == "sign up")
    }

    @Test func gettersRunAtEachAccess() {
        container.install(flow, \.draft)
        #expect(container.resolve(Tracked.self) !== container.resolve(Tracked.self))
        #expect(flow.tracker.made == 2)
    }

    @Test func changesOfTheContainerShowAtOnce() {
        let application = Application()
        container.install(application, \.client)
        application.client = HTTPClient(host: "other")
        #expect(container.resolve((any Client).self).host == "other")
    }

    @Test func inheritedPropertiesAreServicesToo() {
        container.install(Extended(), \.client, \.title)
        #expect(container.resolve((any Client).self).host == "application")
        #expect(container.resolve(String.self) == "extended")
    }

    /// Runs a closure with a screen that was made, and perhaps used, before its client is faked.
    private func withEarlierScreen(isUsedBefore: Bool, _ body: (Screen, any Client) -> Void) {
        container.install(Application(), \.client)
        container.forward((any Client).self, named: .client, to: (any Client).self) { $0 }
        DependencyContainer.$shared.withValue(container) {
            let screen = Screen()
            if isUsedBefore {
                #expect(screen.client.host == "application")
                #expect(screen.injected.host == "application")
                #expect(screen.named.host == "application")
            }
            body(screen, HTTPClient(host: "fake"))
        }
    }

    @Test(arguments: [false, true]) func getterOfAnEarlierObjectSeesTheFake(isUsedBefore: Bool) {
        withEarlierScreen(isUsedBefore: isUsedBefore) { screen, fake in
            DependencyContainer.$shared.withValue(DependencyContainer()) {
                DependencyContainer.shared.register(fake, for: (any Client).self)
                #expect(screen.client === fake)
            }
            container.withStub(fake, for: (any Client).self) { #expect(screen.client === fake) }
            #expect(screen.client.host == "application")
        }
    }

    @Test(arguments: [false, true]) func dynamicDependencyOfAnEarlierObjectSeesTheFake(isUsedBefore: Bool) {
        withEarlierScreen(isUsedBefore: isUsedBefore) { screen, fake in
            DependencyContainer.$shared.withValue(DependencyContainer()) {
                DependencyContainer.shared.register(fake, for: (any Client).self)
                #expect(screen.injected === fake)
            }
            container.withStub(fake, for: (any Client).self) { #expect(screen.injected === fake) }
            #expect(screen.injected.host == "application")
        }
    }

    @Test(arguments: [false, true]) func fakedObjectIsSeenByName(isUsedBefore: Bool) {
        withEarlierScreen(isUsedBefore: isUsedBefore) { screen, fake in
            container.withStub(fake, for: (any Client).self, named: .client) { #expect(screen.named === fake) }
            #expect(screen.named.host == "application")
        }
    }

    @Test func injectIsDependency() {
        struct Form {
            @Dependency var client: any Client
            @Dependency("title") var title: String
        }
        container.install(flow, usingPropertyNames: true, \.client, \.title)
        let form = DependencyContainer.$shared.withValue(container) { Form() }
        #expect(form.client.host == "sign up")
        #expect(form.title == "sign up")
    }

    @Test func injectAtEachAccessIsAProvider() {
        let client = container.provider((any Client).self)
        let application = Application()
        let installation = container.install(application, \.client)
        #expect(client().host == "application")
        application.client = HTTPClient(host: "other")
        #expect(client().host == "other")
        container.uninstall(installation)
        #expect(client.optionalResolve() == nil)
    }

    @Test func servicesMayInjectEachOther() {
        final class Ping: Sendable {
            let pong: DependencyProvider<Pong>
            init(pong: DependencyProvider<Pong>) { self.pong = pong }
        }
        final class Pong: Sendable {
            let ping: DependencyProvider<Ping>
            init(ping: DependencyProvider<Ping>) { self.ping = ping }
        }
        container.register(Ping.self, using: Ping.init)
        container.register(Pong.self, using: Pong.init)
        let ping = container.resolve(Ping.self)
        #expect(ping.pong().ping() === ping)
    }

    @Test func injectReturnsAThunk() {
        container.install(flow, usingPropertyNames: true, \.title)
        let title: DependencyProvider<String> = container.provider(named: "title")
        #expect(title() == "sign up")
    }

    @Test func aliasIsAnotherPropertyName() {
        struct Form {
            @Dependency(.client) var connection: any Client
        }
        container.install(flow, usingPropertyNames: true, \.client)
        #expect(DependencyContainer.$shared.withValue(container) { Form().connection.host } == "sign up")
    }

    @Test func aliasIsAForwardToAnotherName() {
        container.install(flow, usingPropertyNames: true, \.client)
        container.forward((any Client).self, named: "connection", to: (any Client).self, targetNamed: .client) { $0 }
        #expect(container.resolve((any Client).self, named: "connection") === flow.client)
    }

    @Test func propertyMayHaveAnotherName() {
        container.install(flow, .property(\.client, named: "connection"), .property(\.title))
        #expect(container.resolve((any Client).self, named: "connection").host == "sign up")
    }

    @Test func genericTypesAreServicesLikeAnyOther() {
        struct Services { let users = Repository<User>() }
        container.install(Services(), \.users)
        #expect(container.canResolve(Repository<User>.self))
        #expect(!container.canResolve(Repository<Int>.self))
    }

    @Test func propertiesOfOneNameAndSeveralTypesDoNotCollide() {
        struct Other { let client = 7 }
        container.install(flow, usingPropertyNames: true, \.client)
        container.install(Other(), usingPropertyNames: true, \.client)
        #expect(container.resolve((any Client).self, named: .client).host == "sign up")
        #expect(container.resolve(Int.self, named: .client) == 7)
    }

    @Test func duplicatesShadowAndReappear() {
        container.install(Application(), \.client)
        let installation = container.install(flow, \.client)
        #expect(container.resolveAll((any Client).self).map(\.host) == ["sign up", "application"])
        container.uninstall(installation)
        #expect(container.resolve((any Client).self).host == "application")
    }

    @Test func missingServiceIsAnErrorWithTypeAndName() {
        let error = #expect(throws: DependencyError.self) { try container.require((any Client).self, named: .client) }
        #expect("\(error as Any)".contains("Client"))
        #expect("\(error as Any)".contains("client"))
    }

    @Test func missingServiceIsNilIfAnOptionalIsResolved() {
        struct Form {
            @OptionalDependency(.client) var client: (any Client)?
        }
        #expect(container.optionalResolve((any Client).self, named: .client) == nil)
        #expect(DependencyContainer.$shared.withValue(container) { Form().client == nil })
    }

    @Test func clearIsRemoveAll() {
        container.install(flow, \.client, \.title)
        container.removeAll()
        #expect(container.registrations.isEmpty)
    }

    @Test func stubByTypeIsTemporary() {
        container.install(Application(), \.client)
        container.withStub(HTTPClient(host: "stub"), for: (any Client).self) {
            #expect(container.resolve((any Client).self).host == "stub")
        }
        #expect(container.resolve((any Client).self).host == "application")
    }

    @Test func stubByNameIsTemporary() {
        container.install(flow, usingPropertyNames: true, \.client)
        container.withStub(HTTPClient(host: "stub"), for: (any Client).self, named: .client) {
            #expect(container.resolve((any Client).self, named: .client).host == "stub")
            #expect(container.resolve((any Client).self).host == "sign up")
        }
        #expect(container.resolve((any Client).self, named: .client).host == "sign up")
    }

    @Test func fakeIsABoundContainerAndUnfakeItsEnd() async throws {
        try await DependencyContainer.$shared.withValue(container) {
            DependencyContainer.shared.install(Application(), \.client)
            try await withIsolatedDependencies {
                #expect(!DependencyContainer.shared.canResolve((any Client).self))
                DependencyContainer.shared.register(HTTPClient(host: "fake"), for: (any Client).self)
                #expect(resolve((any Client).self).host == "fake")
            }
            #expect(resolve((any Client).self).host == "application")
        }
    }

    @Test func fakeMayInheritOtherServices() async throws {
        try await DependencyContainer.$shared.withValue(container) {
            DependencyContainer.shared.install(flow, \.client, \.title)
            try await withIsolatedDependencies(.inheriting) {
                DependencyContainer.shared.register("fake", for: String.self)
                #expect(resolve(String.self) == "fake")
                #expect(resolve((any Client).self).host == "sign up")
            }
            #expect(resolve(String.self) == "sign up")
        }
    }
}
