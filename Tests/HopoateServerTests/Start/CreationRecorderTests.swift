import Hopoate
import HopoateServer
import Testing

/// Warm-ups with limits record creations, and any thread may create services meanwhile.
@Suite(.mayBlock) struct CreationRecorderTests {
    private final class Database: Sendable {}
    private final class Cache: Sendable {
        init(_ database: Database) {}
    }
    private struct Token: Sendable {}

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    private static func makeContainer() -> DependencyContainer {
        let container = DependencyContainer()
        container.register(Database.self) { _ async in Database() }
        container.register(Cache.self, using: Cache.init)
        return container
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func warmUpsMayBeginAndEndWhileOthersCreateServices() async {
        let isOver = Locked(false)
        async let creations: Void = runThreads(2) { _ in
            while !isOver.current {
                let container = DependencyContainer()
                container.register(Token.self) { _ in Token() }
                _ = container.resolve(Token.self)
            }
        }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<rounds(100) {
                        let report = try? await Self.makeContainer().warmUp(limit: nil)
                        check(report?.creations.count == 2)
                    }
                }
            }
        }
        isOver.withLock { $0 = true }
        await creations
    }
}
