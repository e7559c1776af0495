import Foundation
import Hopoate
import HopoateServer
import Testing

private struct Store: Sendable {}
private struct Mailer: Sendable {}
private struct Cart: Sendable {
    let store: Store
    let mailer: Mailer?
    init(store: Store, mailer: Mailer?) {
        self.store = store
        self.mailer = mailer
    }
}
struct SnapshotSubject: Sendable, CustomStringConvertible {
    let password: String
    var description: String { "the password is \(password)" }
}

/// What a snapshot says of registrations, and its JSON.
@Suite struct SnapshotTests {
    let container = DependencyContainer()

    @Test func eachRegistrationIsDescribed() throws {
        container.register(SnapshotSubject.self, named: "main") { _ in SnapshotSubject(password: "") }
        container.register(SnapshotSubject.self, lifetime: .keyed) { (_, _: Int) in SnapshotSubject(password: "") }
        let line = #line - 1
        let snapshot = container.snapshot()
        #expect(snapshot.version == DependencySnapshot.currentVersion)
        #expect(snapshot.time > 1_700_000_000)
        #expect(snapshot.recorded == nil)
        #expect(snapshot.liveChildren == nil)
        #expect(snapshot.registrations.map(\.id) == [0, 1])
        let (named, keyed) = (snapshot.registrations[0], snapshot.registrations[1])
        #expect(named.type == "HopoateServerTests.SnapshotSubject")
        #expect(named.name == "main")
        #expect(named.service == "HopoateServerTests.SnapshotSubject named \"main\"")
        #expect(named.lifetime == "singleton" && named.sharing == "registration")
        #expect(named.dependencies == nil && named.creations == nil)
        #expect(keyed.arguments == "(Swift.Int)")
        #expect(keyed.lifetime == "keyed" && keyed.sharing == "arguments")
        #expect(keyed.place == "HopoateServerTests/SnapshotTests.swift:\(line)")
    }

    @Test(arguments: [
        (Lifetime.eager, "instance"), (.singleton, "registration"), (.weak, "registration"), (.transient, "nobody"),
        (.graph, "graph"), (.scoped, "container"),
    ])
    func sharingIsNamed(lifetime: Lifetime, word: String) {
        container.register(Tracked.self, lifetime: lifetime) { _ in Tracker().make() }
        #expect(container.snapshot().registrations.map(\.sharing) == [word])
    }

    // MARK: - Paths and requests

    @Test func dependentsAreTheDirectOnes() {
        container.register(Store(), for: Store.self)
        container.register(Cart.self, using: Cart.init)
        container.register(String.self, using: { (_: Cart, _: Store) in "" })
        container.register(Int.self, using: { (_: [Store], _: Store) in 0 })
        #expect(container.snapshot().dependents == [[1, 2, 3], [2], [], []])
        #expect(DependencyContainer().snapshot().dependents.isEmpty)
    }

    @Test func longestPathLeadsFromTheOuterServiceToTheInnermostOne() {
        #expect(container.snapshot().longestPath.isEmpty)
        container.register(Store(), for: Store.self)
        #expect(container.snapshot().longestPath.isEmpty)
        container.register(String.self, using: { (_: Cart, _: Store) in "" })
        container.register(Cart.self, using: Cart.init)
        container.register(Bool.self, using: { (_: Store) in true })
        #expect(container.snapshot().longestPath.map(\.type) == ["Swift.String", shown(Cart.self), shown(Store.self)])
    }

    @Test func servicesAboveACycleAreInNoPath() {
        container.register(Int.self, using: { (_: Double) in 0 })
        container.register(Double.self, using: { (_: Int) in 0 })
        container.register(String.self, using: { (_: Int) in "" })
        #expect(container.snapshot().longestPath.isEmpty)
        container.register(Store(), for: Store.self)
        container.register(Cart.self, using: Cart.init)
        #expect(container.snapshot().longestPath.count == 2)
    }

    @Test func aPreparedSnapshotIsThatOfARequest() throws {
        container.recordCreations()
        container.register(Cart.self, lifetime: .transient, using: Cart.init)
        #expect(container.snapshot().registrations[0].dependencies?[0].isMissing == true)
        let snapshot = try container.snapshot { $0.register(Store(), for: Store.self) }
        #expect(snapshot.registrations.map(\.level) == [0, 1])
        #expect(snapshot.registrations[1].dependencies?[0].targets == [0])
        #expect(snapshot.liveChildren == 0, "the child of the snapshot does not count")
        #expect(!container.canResolve(Store.self))
        struct Refused: Error {}
        #expect(throws: Refused.self) { try container.snapshot { _ in throw Refused() } }
    }

    @Test func existenceIsThatOfTheContainerAndCreatesNothing() {
        let made = Locked(0)
        container.register(Store.self, lifetime: .scoped) { _ in
            _ = made.next()
            return Store()
        }
        let child = container.makeChild()
        #expect(!child.snapshot().registrations[0].exists)
        #expect(made.current == 0)
        _ = child.resolve(Store.self)
        #expect(child.snapshot().registrations[0].exists)
        #expect(!container.snapshot().registrations[0].exists)
    }

    @Test func parentsFollowWithTheirLevelAndShadowedRegistrationsAreMarked() {
        container.register(Store(), for: Store.self)
        container.register(Mailer(), for: Mailer.self)
        let child = container.makeChild()
        child.register(Store(), for: Store.self)
        let registrations = child.snapshot().registrations
        #expect(registrations.map(\.level) == [0, 1, 1])
        #expect(registrations.map(\.isShadowed) == [false, true, false])
    }

    @Test func dependenciesPointAtTheRegistrationsThatTheyFind() throws {
        container.register(Store(), for: Store.self)
        container.register(Cart.self, lifetime: .transient, using: Cart.init)
        container.register(Store(), for: Store.self)
        let cart = container.snapshot().registrations[1]
        let dependencies = try #require(cart.dependencies)
        #expect(dependencies.map(\.need) == ["required", "optional"])
        #expect(dependencies.map(\.targets) == [[2], []])
        #expect(dependencies.map(\.isMissing) == [false, false])
        container.removeAll()
        container.register(Cart.self, lifetime: .transient, using: Cart.init)
        let missing = try #require(container.snapshot().registrations[0].dependencies)
        #expect(missing.map(\.isMissing) == [true, false])
    }

    @Test func privateTypesShowNoAddress() {
        container.register(Store(), for: Store.self)
        container.register(Cart.self, lifetime: .transient, using: Cart.init)
        container.register([Mailer?].self, lifetime: .keyed) { (_, _: Int) in [] }
        let json = container.snapshot().json
        #expect(json.contains("\"HopoateServerTests.Store\""))
        #expect(json.contains("\"[HopoateServerTests.Mailer?]\""))
        #expect(!json.contains("$"))
    }

    @Test func instancesAreNotDescribed() {
        container.register(SnapshotSubject(password: "hunter2"), for: SnapshotSubject.self)
        container.register(Int.self, lifetime: .keyed, factory: { (_, argument: String) in argument.count })
        _ = container.resolve(Int.self, arguments: "hunter2")
        #expect(!container.snapshot().json.contains("hunter2"))
    }

    @Test func shutDownContainerIsEmpty() async throws {
        container.register(Store.self) { _ in Store() }
        container.recordCreations()
        try await container.shutdown()
        #expect(container.snapshot().registrations.isEmpty)
    }
}

extension SnapshotTests {
    static let hostileNames = [
        "</script><img src=x onerror=alert(1)>", "<!--", "\u{2028}\u{2029}", "\"'`\\", "\u{202E}txt.exe",
        "\u{0}\n\t\u{7F}", "👩‍👩‍👧", "",
    ]

    @Test func jsonDecodesToAnEqualSnapshot() throws {
        container.recordCreations()
        for name in Self.hostileNames {
            container.register(Store.self, named: DependencyName(name)) { _ in Store() }
            _ = container.resolve(Store.self, named: DependencyName(name))
        }
        container.register(Cart.self, lifetime: .transient, using: Cart.init)
        let snapshot = container.snapshot()
        let decoded = try JSONDecoder().decode(DependencySnapshot.self, from: Data(snapshot.json.utf8))
        #expect(decoded == snapshot)
        #expect(decoded.registrations.compactMap(\.name) == Self.hostileNames)
        let encoded = try JSONDecoder().decode(DependencySnapshot.self, from: JSONEncoder().encode(snapshot))
        #expect(encoded == snapshot)
    }

    @Test func jsonIsSafeInsideAScriptElement() {
        for name in Self.hostileNames { container.register(Store(), for: Store.self, named: DependencyName(name)) }
        let json = container.snapshot().json
        #expect(json.utf8.allSatisfy { (0x20..<0x7F).contains($0) })
        #expect(!json.contains { "<>&".contains($0) })
    }
}
