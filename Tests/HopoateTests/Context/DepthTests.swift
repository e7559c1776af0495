import Foundation
import Hopoate
import Testing

/// How deep creations may nest. Finite recursion is not limited by the container, and endless recursion throws an error before
/// the stack overflows.
@Suite(.mayBlock) struct DepthTests {
    let container = DependencyContainer()

    @Test(arguments: [Lifetime.keyed, .transient])
    func recursionByArgumentsMayBeDeep(lifetime: Lifetime) {
        container.register(Int.self, lifetime: lifetime) { (container, depth: Int) in
            depth == 0 ? 0 : try container.require(Int.self, arguments: depth - 1) + 1
        }
        let depth = onThread(stackSize: isSanitized ? 64 << 20 : 8 << 20) { [container] in
            container.optionalResolve(Int.self, arguments: 450)
        }
        #expect(depth == 450)
    }

    @Test func recursionOfAsynchronousFactoriesMayBeDeep() async throws {
        container.register(Int.self) { (container, depth: Int) async throws in
            depth == 0 ? 0 : try await container.asyncResolve(Int.self, arguments: depth - 1) + 1
        }
        #expect(try await container.asyncResolve(Int.self, arguments: 450) == 450)
    }

    @Test(arguments: [Lifetime.keyed, .transient])
    func endlessRecursionByArgumentsIsReported(lifetime: Lifetime) {
        container.register(Int.self, lifetime: lifetime) { (container, depth: Int) in
            try container.require(Int.self, arguments: depth + 1)
        }
        let error = onThread(stackSize: 1 << 20) { [container] in
            failure { () throws(DependencyError) in try container.require(Int.self, arguments: 0) }
        }
        #expect(error?.reason == .circular)
    }

    @Test func endlessRecursionOfAsynchronousFactoriesIsReported() async {
        container.register(Int.self) { (container, depth: Int) async throws in
            try await container.asyncResolve(Int.self, arguments: depth + 1)
        }
        let error = await failure { [container] () async throws(DependencyError) in
            try await container.asyncResolve(Int.self, arguments: 0)
        }
        #expect(error?.reason == .circular)
    }

    @Test(arguments: [128 << 10, 256 << 10, 512 << 10])
    func cycleOnASmallStackIsReported(stackSize: Int) {
        container.register(Int.self, lifetime: .transient) { Int(try $0.require(String.self))! }
        container.register(String.self, lifetime: .transient) { String(try $0.require(Int.self)) }
        let error = onThread(stackSize: isSanitized ? 8 * stackSize : stackSize) { [container] in
            failure { () throws(DependencyError) in try container.require(Int.self) }
        }
        #expect(error?.reason == .circular)
    }
}
