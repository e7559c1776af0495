import Hopoate
import Testing

// The tests of Depin's public API, as Tests/README.md lists them. The other files in this folder cover the API that Depin
// re-exports from Swinject and SwinjectAutoregistration.

private protocol Repository: AnyObject, Sendable { var source: String { get } }
private final class Files: Repository { let source = "files" }
private final class Network: Repository { let source = "network" }

private final class Screen: @unchecked Sendable {
    let repository: any Repository
    init(repository: any Repository) { self.repository = repository }
}

/// Takes the place of a `ServiceName` enumeration.
extension DependencyName {
    fileprivate static let network: DependencyName = "network"
}

private enum Kind: String {
    case local, remote
    var name: DependencyName { DependencyName(rawValue) }
}

private enum TimeoutKey: DependencyKey {
    static var defaultValue: Int { 30 }
}

extension DependencyValues {
    fileprivate var timeout: Int {
        get { self[TimeoutKey.self] }
        nonmutating set { self[TimeoutKey.self] = newValue }
    }
}

private struct Part: DependencyModule {
    let name: String
    init(_ name: String) { self.name = name }
    func register(in container: DependencyContainer) { container.register(name, for: String.self) }
}

@Suite(.mayBlock) struct DepinInjectedTests {
    let container = DependencyContainer()

    @Test func injectedIsDependency() {
        final class Model {
            @Dependency var repository: any Repository
        }
        container.register((any Repository).self) { _ in Files() }
        let model = DependencyContainer.$shared.withValue(container) { Model() }
        #expect(model.repository.source == "files")
        #expect(model.repository === model.repository)
    }

    @Test func injectedTakesTypedNames() {
        struct Model {
            @Dependency(.network) var repository: any Repository
        }
        container.register((any Repository).self) { _ in Files() }
        container.register((any Repository).self, named: .network) { _ in Network() }
        let model = DependencyContainer.$shared.withValue(container) { Model() }
        #expect(model.repository.source == "network")
    }

    @Test func serviceNamesMayComeFromAnEnumeration() {
        container.register((any Repository).self, named: Kind.local.name) { _ in Files() }
        container.register((any Repository).self, named: Kind.remote.name) { _ in Network() }
        #expect(container.resolve((any Repository).self, named: Kind.remote.name).source == "network")
        #expect(container.resolve((any Repository).self, named: "local").source == "files")
    }

    @Test func injectedWorksInSendableTypes() async {
        struct Pinned: Sendable {
            @Dependency var text: String
        }
        container.register("text", for: String.self)
        let pinned = DependencyContainer.$shared.withValue(container) { Pinned() }
        #expect(await Task.detached { pinned.text }.value == "text")
    }

    @Test func injectedMayBeOptionalOrTakeArguments() {
        struct Model {
            @OptionalDependency var repository: (any Repository)?
            @LazyDependency(arguments: 7) var number: Int
        }
        container.register(Int.self) { (_, number: Int) in number * 2 }
        let model = DependencyContainer.$shared.withValue(container) { Model() }
        #expect(model.repository == nil)
        #expect(model.number == 14)
    }

    @Test func injectedNamesTheTypeOfAMissingService() {
        let error = #expect(throws: DependencyError.self) { try container.require((any Repository).self) }
        #expect("\(error as Any)".contains("Repository"))
    }
}

@Suite(.mayBlock) struct DepinSpaceTests {
    let container = DependencyContainer()

    @Test func spaceIsAValueByKeyPath() {
        struct Client {
            @Dependency(\.timeout) var timeout: Int
        }
        DependencyContainer.$shared.withValue(container) {
            #expect(Client().timeout == 30)
        }
    }

    @Test func spaceCanBeOverriddenForAContainer() {
        struct Client {
            @Dependency(\.timeout) var timeout: Int
        }
        container.values.timeout = 10
        let child = container.makeChild()
        #expect(child.values.timeout == 10)
        child.values.timeout = 5
        #expect(container.values.timeout == 10)
        #expect(DependencyContainer.$shared.withValue(child) { Client().timeout } == 5)
        child.values.removeValue(for: TimeoutKey.self)
        #expect(child.values.timeout == 10)
    }

    @Test func spaceCanBeOverriddenForATask() {
        struct Client {
            @Dependency(\.timeout) var timeout: Int
        }
        DependencyContainer.$shared.withValue(container) {
            let timeout = withDependencies {
                $0.timeout = 1
            } operation: {
                Client().timeout
            }
            #expect(timeout == 1)
            #expect(Client().timeout == 30)
        }
    }

    @Test func spaceKeysAreReadByType() {
        #expect(container.values[TimeoutKey.self] == 30)
        container.values[TimeoutKey.self] = 3
        #expect(container.values[TimeoutKey.self] == 3)
    }

    @Test func spaceValuesCanBePrinted() {
        #expect(!"\(container.values)".isEmpty)
    }

    @Test func spaceOfTheContainerIsShared() {
        DependencyContainer.$shared.withValue(container) {
            #expect(DependencyContainer.shared === container)
            DependencyContainer.shared.register((any Repository).self) { _ in Files() }
            #expect(resolve((any Repository).self).source == "files")
        }
    }

    @Test func spaceOfTheAssemblerIsInstall() throws {
        try DependencyContainer.$shared.withValue(container) {
            try DependencyContainer.shared.install(Part("main"))
            #expect(resolve(String.self) == "main")
        }
    }
}

@Suite(.mayBlock) struct DepinContainerTests {
    let container = DependencyContainer()

    @Test func arrowIsACallOfTheContainer() throws {
        container.register((any Repository).self) { _ in Files() }
        container.register(Screen.self) { container in try Screen(repository: container((any Repository).self)) }
        #expect(try container(Screen.self).repository.source == "files")
    }

    @Test func autoResolveIsACallOfTheContainer() throws {
        container.register((any Repository).self) { _ in Files() }
        container.register(Screen.self) { container in try Screen(repository: container()) }
        let screen: Screen = try container()
        #expect(screen.repository.source == "files")
    }

    @Test func factoriesNeedNoResolver() {
        container.register(Files.self, using: Files.init)
        container.register(Network.self) { _ in Network() }
        container.register((any Repository).self, lifetime: .eager) { _ in Files() }
        #expect(container.resolve(Files.self).source == "files")
        #expect(container.resolve(Network.self).source == "network")
        #expect(container.resolve((any Repository).self).source == "files")
    }

    @Test func registerSynchronizedIsRegister() {
        // The factories share one graph, and their services do not retain the container.
        final class Pair: @unchecked Sendable {
            let first: any Repository
            let screen: Screen
            init(first: any Repository, screen: Screen) {
                self.first = first
                self.screen = screen
            }
        }
        let tracker = Tracker()
        do {
            let container = DependencyContainer()
            container.register(tracker.make(), for: Tracked.self)
            container.register((any Repository).self, lifetime: .graph) { _ in Files() }
            container.register(Screen.self, lifetime: .graph) { container in try Screen(repository: container()) }
            container.register(Pair.self, lifetime: .graph) { container in
                try Pair(first: container(), screen: container())
            }
            let pair = container.resolve(Pair.self)
            #expect(pair.first === pair.screen.repository)
        }
        expectGone(tracker)
    }

    @Test func registerSynchronizedMayTakeArguments() {
        container.register(Screen.self) { (container, source: String) in
            Screen(repository: container.resolve(named: DependencyName(source)))
        }
        container.register((any Repository).self, named: "network") { _ in Network() }
        #expect(container.resolve(Screen.self, arguments: "network").repository.source == "network")
    }

    @Test func builderTakesAssembliesConditionsLoopsAndOptionals() throws {
        func names(debug: Bool, count: Int, last: Part?) throws -> [String] {
            container.removeAll()
            try container.install {
                Part("first")
                if debug { Part("debug") } else { Part("release") }
                switch count {
                case 0: Part("none")
                case 1: Part("one")
                default: Part("many")
                }
                for index in 0..<count { Part("\(index)") }
                last
            }
            return container.resolveAll(String.self).reversed()
        }
        #expect(try names(debug: true, count: 2, last: Part("last")) == ["first", "debug", "many", "0", "1", "last"])
        #expect(try names(debug: false, count: 0, last: nil) == ["first", "release", "none"])
    }
}
