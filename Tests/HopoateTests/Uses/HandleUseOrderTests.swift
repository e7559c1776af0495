import Hopoate
import HopoateServer
import Testing

/// A service that was used through a handle is disposed of after its user, however the container ends.
@Suite struct HandleUseOrderTests {
    private final class Used: Sendable {}
    private final class Other: Sendable {}
    private final class Late: Sendable {}

    /// A service with a handle, whose closure uses it.
    private final class User: Sendable {
        let use: @Sendable () async -> Void
        init(_ use: @escaping @Sendable () async -> Void) { self.use = use }
    }

    enum Handle: String, CaseIterable, Sendable {
        case lazy, lazyObject, asyncLazy, provider, optionalProvider, asyncProvider, wrapper, optionalWrapper,
            dynamicWrapper
    }

    enum End: CaseIterable, Sendable { case shutdown, limits, removal, release }

    private let journal = Locked<[String]>([])

    private func note<Service>(_ name: String) -> @Sendable (Service) throws -> Void {
        { [journal] _ in journal.withLock { $0.append(name) } }
    }

    private func register<Service: Sendable>(
        _ type: Service.Type, _ name: String, in container: DependencyContainer, lifetime: Lifetime = .singleton,
        _ factory: @escaping @Sendable (DependencyContainer) throws -> Service
    ) {
        container.register(type, lifetime: lifetime, factory: factory, onDispose: note(name))
    }

    /// Returns a user of a service through a handle. Called in a factory.
    private static func makeUser(_ handle: Handle, in container: DependencyContainer) -> User {
        switch handle {
        case .lazy:
            let lazy = LazyDependency<Used>(container: container)
            return User { _ = lazy.wrappedValue }
        case .lazyObject:
            let lazy = LazyDependency<Used>(container: container)
            return User { _ = lazy.object }
        case .asyncLazy:
            let lazy = LazyDependency<Used>(container: container)
            return User { _ = try? await lazy.asyncResolve() }
        case .provider:
            let provider = container.provider(Used.self)
            return User { _ = provider() }
        case .optionalProvider:
            let provider = container.provider(Used.self)
            return User { _ = provider.optionalResolve() }
        case .asyncProvider:
            let provider = container.provider(Used.self)
            return User { _ = try? await provider.asyncResolve() }
        case .wrapper:
            let wrapper = Dependency<Used>(container: container)
            return User { _ = wrapper.wrappedValue }
        case .optionalWrapper:
            let wrapper = OptionalDependency<Used>(container: container)
            return User { _ = wrapper.wrappedValue }
        case .dynamicWrapper:
            let wrapper = DynamicDependency<Used>(container: container)
            return User { _ = wrapper.wrappedValue }
        }
    }

    /// Runs a closure with a container, and then ends it.
    private func disposals(
        _ end: End = .shutdown, _ body: (DependencyContainer) async throws -> Void
    ) async throws -> [String] {
        do {
            let container = DependencyContainer()
            try await body(container)
            switch end {
            case .shutdown: try await container.shutdown()
            case .limits:
                if #available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *) {
                    try await container.shutdown(limit: nil)
                }
            case .removal: container.removeAll()
            case .release: break
            }
        }
        return journal.current
    }

    // MARK: - Each handle, each end

    @Test(arguments: Handle.allCases, End.allCases)
    func serviceThatAHandleCreatedEndsAfterItsUser(handle: Handle, end: End) async throws {
        let ended = try await disposals(end) { container in
            register(User.self, "user", in: container) { Self.makeUser(handle, in: $0) }
            register(Used.self, "used", in: container) { _ in Used() }
            await container.resolve(User.self).use()
        }
        #expect(ended == ["user", "used"])
    }

    @Test(arguments: Handle.allCases, End.allCases)
    func serviceThatAHandleFoundEndsAfterItsUser(handle: Handle, end: End) async throws {
        let ended = try await disposals(end) { container in
            register(User.self, "user", in: container) { Self.makeUser(handle, in: $0) }
            register(Used.self, "used", in: container) { _ in Used() }
            let user = container.resolve(User.self)
            _ = container.resolve(Used.self)
            await user.use()
            await user.use()
        }
        #expect(ended == ["user", "used"])
    }

    @Test(arguments: End.allCases) func handleThatWasNotUsedChangesNothing(end: End) async throws {
        let ended = try await disposals(end) { container in
            register(User.self, "user", in: container) { Self.makeUser(.lazy, in: $0) }
            register(Used.self, "used", in: container) { _ in Used() }
            _ = container.resolve(User.self)
            _ = container.resolve(Used.self)
        }
        #expect(ended == ["used", "user"])
    }

    @Test func requestScopeKeepsTheOrderToo() async throws {
        let app = DependencyContainer()
        register(User.self, "user", in: app, lifetime: .scoped) { Self.makeUser(.lazy, in: $0) }
        register(Used.self, "used", in: app, lifetime: .scoped) { _ in Used() }
        try await app.withChild({ _ in }) { request in await request.resolve(User.self).use() }
        #expect(journal.current == ["user", "used"])
    }

    @Test func asynchronousHooksAreAwaitedInThisOrder() async throws {
        let container = DependencyContainer()
        container.register(
            User.self, factory: { Self.makeUser(.provider, in: $0) },
            onAsyncDispose: { [journal] _ in
                for _ in 0..<20 { await Task.yield() }
                journal.withLock { $0.append("user") }
            })
        container.register(
            Used.self, factory: { _ async in Used() },
            onAsyncDispose: { [journal] _ in journal.withLock { $0.append("used") } })
        let user = container.resolve(User.self)
        _ = try await container.asyncResolve(Used.self)
        await user.use()
        try await container.shutdown()
        #expect(journal.current == ["user", "used"])
    }

    // MARK: - Other services

    @Test func servicesThatWereCreatedForTheUsedOneEndAfterIt() async throws {
        let ended = try await disposals { container in
            register(User.self, "user", in: container) { Self.makeUser(.lazy, in: $0) }
            register(Late.self, "late", in: container) { _ in Late() }
            // Without a hook, between the two.
            container.register(Int.self) { container in
                _ = container.resolve(Late.self)
                return 7
            }
            register(Used.self, "used", in: container) { container in
                _ = container.resolve(Int.self)
                return Used()
            }
            let user = container.resolve(User.self)
            _ = container.resolve(Used.self)
            await user.use()
        }
        #expect(ended == ["user", "used", "late"])
    }

    @Test(arguments: [End.shutdown, .limits])
    func servicesThatMayUseTheUserStillEndBeforeIt(end: End) async throws {
        let ended = try await disposals(end) { container in
            register(Late.self, "oldest", in: container) { _ in Late() }
            register(User.self, "user", in: container) { Self.makeUser(.lazy, in: $0) }
            register(Other.self, "other", in: container) { container in
                _ = container.resolve(User.self)
                return Other()
            }
            register(Used.self, "used", in: container) { _ in Used() }
            _ = container.resolve(Late.self)
            let user = container.resolve(User.self)
            _ = container.resolve(Other.self)
            await user.use()
        }
        #expect(ended == ["other", "user", "used", "oldest"])
    }

    private protocol Reading: Sendable {}
    private final class Store: Reading {}

    @Test func useThroughAnAliasAndAServiceWithoutAHookCounts() async throws {
        /// A service without a hook, which resolves an alias.
        final class Reader: Sendable {
            let store: LazyDependency<any Reading>
            init(store: LazyDependency<any Reading>) { self.store = store }
        }
        final class Owner: Sendable {
            let reader: Reader
            init(reader: Reader) { self.reader = reader }
        }
        let ended = try await disposals { container in
            container.register(Reader.self, using: Reader.init(store:))
            container.register(Owner.self, using: Owner.init(reader:), onDispose: note("owner"))
            register(Store.self, "store", in: container) { _ in Store() }
            container.forward((any Reading).self, to: Store.self) { $0 }
            let owner = container.resolve(Owner.self)
            _ = container.resolve(Store.self)
            owner.reader.store.resolve()
        }
        #expect(ended == ["owner", "store"])
    }

    @Test func serviceThatATransientOneCreatedInsideAHandleCounts() async throws {
        struct Passing: Sendable {
            let used: Used
        }
        let ended = try await disposals { container in
            container.register(Passing.self, lifetime: .transient) { container in Passing(used: container.resolve()) }
            register(User.self, "user", in: container) { container in
                let provider = container.provider(Passing.self)
                return User { _ = provider() }
            }
            register(Used.self, "used", in: container) { _ in Used() }
            await container.resolve(User.self).use()
        }
        #expect(ended == ["user", "used"])
    }

    @Test func namesAndRemovalsOfOthersDoNotHideAUse() async throws {
        let ended = try await disposals { container in
            let name = DependencyName("\(ObjectIdentifier(container))")
            container.register(
                User.self, named: name,
                factory: { container in
                    let lazy = LazyDependency<Used>(named: name, container: container)
                    return User { _ = lazy.wrappedValue }
                }, onDispose: note("user"))
            container.register(Used.self, named: name, factory: { _ in Used() }, onDispose: note("used"))
            let other = container.register(1, for: Int.self)
            let user = container.resolve(User.self, named: name)
            _ = container.resolve(Used.self, named: name)
            await user.use()
            container.remove(other)
        }
        #expect(ended == ["user", "used"])
    }

    // MARK: - Cycles

    @Test(arguments: [End.shutdown, .limits])
    func servicesThatUseEachOtherEndInTheReverseOrderOfCreation(end: End) async throws {
        final class First: Sendable {
            let second: LazyDependency<Second>
            init(second: LazyDependency<Second>) { self.second = second }
        }
        final class Second: Sendable {
            init(first: First) {}
        }
        let ended = try await disposals(end) { container in
            container.register(First.self, using: First.init(second:), onDispose: note("first"))
            container.register(Second.self, using: Second.init(first:), onDispose: note("second"))
            container.resolve(First.self).second.resolve()
        }
        #expect(ended == ["second", "first"])
    }

    @Test func handlesThatFormACycleChangeNothing() async throws {
        final class Left: Sendable {
            let right: DependencyProvider<Right>
            init(_ right: DependencyProvider<Right>) { self.right = right }
        }
        final class Right: Sendable {
            let left: DependencyProvider<Left>
            init(_ left: DependencyProvider<Left>) { self.left = left }
        }
        let ended = try await disposals { container in
            container.register(Left.self, using: Left.init, onDispose: note("left"))
            register(Other.self, "other", in: container) { _ in Other() }
            container.register(Right.self, using: Right.init, onDispose: note("right"))
            let left = container.resolve(Left.self)
            _ = container.resolve(Other.self)
            let right = container.resolve(Right.self)
            _ = (left.right(), right.left())
        }
        #expect(ended == ["right", "other", "left"])
    }

    // MARK: - Costs

    @Test func usesOfRemovedServicesAreForgotten() async throws {
        let container = DependencyContainer()
        register(Other.self, "other", in: container) { _ in Other() }
        _ = container.resolve(Other.self)
        let count = rounds(2_000)
        for round in 0..<count {
            let name = DependencyName("use \(round) of \(ObjectIdentifier(container))")
            let user = container.register(User.self, named: name) { container in
                let lazy = LazyDependency<Int>(named: name, container: container)
                return User { _ = lazy.wrappedValue }
            }
            let used = container.register(round, for: Int.self, named: name)
            await container.resolve(User.self, named: name).use()
            container.remove(user)
            container.remove(used)
        }
        #expect(container.notedUses <= 64)
    }

    @Test func manyUsersNeedNoRecursion() async throws {
        let ended = try await disposals { container in
            let count = 3_000
            for number in 0..<count {
                let next = DependencyName("\(number + 1)")
                container.register(
                    User.self, named: DependencyName("\(number)"),
                    factory: { container in
                        let lazy = LazyDependency<User>(named: next, container: container)
                        return User { _ = lazy.object }
                    }, onDispose: note("\(number)"))
            }
            let users = (0..<count).map { container.resolve(User.self, named: DependencyName("\($0)")) }
            for user in users { await user.use() }
        }
        #expect(ended == (0..<3_000).map { "\($0)" })
    }
}
