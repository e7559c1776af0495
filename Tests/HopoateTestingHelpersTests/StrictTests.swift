import Foundation
import Hopoate
import HopoateTestingHelpers
import Testing

private protocol Mailer: Sendable {}
private struct Post: Mailer {}
private struct MailerFake: Mailer {}
private struct Checkout: Sendable { let mailer: any Mailer }
private struct Shop: Sendable { let checkout: Checkout }
private struct Size: Sendable { let value: Int }
private final class Pool: Sendable {}

private func registerLive(in container: DependencyContainer) {
    container.register((any Mailer).self) { _ in Post() }
    container.register(Checkout.self, lifetime: .transient, using: Checkout.init)
    container.register(Shop.self, using: Shop.init)
    container.register(Size.self, lifetime: .keyed) { (_, value: Int) in Size(value: value) }
    container.register(Pool.self) { _ async in Pool() }
}

/// Strict tests. `.ci/failures` checks with Tests/Fixtures/FailingTests how a test fails.
@Suite(.isolatedDependencies(.strict(allowing: Shop.self, Checkout.self, live: registerLive))) struct StrictTests {
    @Test func allowedServicesGetTheFakesOfTheTest() {
        DependencyContainer.shared.register(MailerFake(), for: (any Mailer).self)
        #expect(resolve(Shop.self).checkout.mailer is MailerFake)
    }

    @Test(
        .isolatedDependencies(.strict(allowing: Shop.self, Checkout.self, live: registerLive)) {
            $0.register(MailerFake(), for: (any Mailer).self)
        })
    func setUpMayRegisterFakes() {
        #expect(resolve(Shop.self).checkout.mailer is MailerFake)
    }

    @Test func servicesOfTheTestAreNotLive() async throws {
        DependencyContainer.shared.register(Pool.self) { _ in Pool() }
        _ = resolve(Pool.self)
        let child = DependencyContainer.shared.makeChild()
        child.register(Size.self) { _ in Size(value: 7) }
        #expect(child.resolve(Size.self).value == 7)
    }

    @Test func shutdownAndRemovalRunTheHooksThatAStrictTestExpects() async throws {
        DependencyContainer.shared.register(Pool.self, lifetime: .scoped) { _ in
            Pool()
        } onDispose: { _ in
        }
        _ = resolve(Pool.self)
        _ = try await DependencyContainer.shared.withChild({ _ in }) { $0.resolve(Pool.self) }
        DependencyContainer.shared.removeAll()
        DependencyContainer.shared.register(Pool.self) { _ in
            Pool()
        } onDispose: { _ in
        }
        _ = resolve(Pool.self)
        try await DependencyContainer.shared.shutdown()
    }
}

/// The mistakes that fail a strict test, as `withIsolatedDependencies` throws them.
@Suite struct StrictMistakeTests {
    private func text(
        _ contents: IsolatedDependenciesTrait.Contents = .strict(live: registerLive),
        _ body: @escaping () async throws -> Void
    ) async -> String {
        let error = await #expect(throws: (any Error).self) { try await withIsolatedDependencies(contents, body) }
        return error.map { "\($0)" } ?? ""
    }

    @Test func liveServiceFailsWithItsChainAndTheRemedy() async {
        let text = await text(.strict(allowing: Shop.self, Checkout.self, live: registerLive)) {
            _ = resolve(Shop.self)
        }
        let place = #fileID + ":15"
        #expect(
            text.contains(
                "its factory threw an error: 'any HopoateTestingHelpersTests.Mailer', registered at \(place), is a live service"
            ))
        #expect(text.contains("or allow it with `.strict(allowing: (any Mailer).self)`."))
        #expect(
            text.contains(
                "Dependency chain: HopoateTestingHelpersTests.Shop → HopoateTestingHelpersTests.Checkout → any"))
    }

    @Test func handledErrorOfALiveServiceFailsAllTheSame() async {
        let text = await text {
            #expect(throws: DependencyError.self) { try DependencyContainer.shared.require((any Mailer).self) }
            #expect(throws: DependencyError.self) { try DependencyContainer.shared.require((any Mailer).self) }
        }
        #expect(text.components(separatedBy: "is a live service").count == 2)
        #expect(text.hasSuffix("`.strict(allowing: (any Mailer).self)`."))
    }

    @Test func liveServicesOfEveryFormFail() async {
        let asynchronous = await text { _ = try await DependencyContainer.shared.asyncResolve(Pool.self) }
        #expect(asynchronous.contains("Pool', registered at"))
        let withArguments = await text { _ = resolve(Size.self, arguments: 7) }
        #expect(withArguments.contains("Size(Swift.Int)', registered at"))
        let eager = await text(.strict { $0.register(Pool(), for: Pool.self) }) { _ = resolve(Pool.self) }
        #expect(eager.contains("Pool', registered at"))
        let inAChild = await text { _ = DependencyContainer.shared.makeChild().resolve(Checkout.self) }
        #expect(inAChild.contains("Checkout', registered at"))
        let onAnotherTask = await text {
            let container = DependencyContainer.shared
            _ = await Task.detached { try? container.require((any Mailer).self) }.value
        }
        #expect(onAnotherTask.contains("is a live service"))
    }

    @Test func leftOutShutdownIsReportedWithTheTypeAndThePlace() async {
        let text = await text(.strict) {
            DependencyContainer.shared.register(Pool.self) { _ in
                Pool()
            } onDispose: { _ in
            }
            _ = resolve(Pool.self)
        }
        #expect(text.contains("Pool', registered at HopoateTestingHelpersTests/StrictTests.swift:"))
        #expect(text.contains("but its container was not shut down"))
    }

    @Test(arguments: [false, true]) func leftOutShutdownOfAChildIsReported(isReleased: Bool) async {
        let kept = Kept()
        let text = await text(.strict) {
            let child = DependencyContainer.shared.makeChild().makeChild()
            child.register(Pool.self) { _ in
                Pool()
            } onDispose: { _ in
            }
            _ = child.resolve(Pool.self)
            if !isReleased { kept.container = child }
        }
        #expect(text.contains("but its container was not shut down"))
        kept.container = nil
    }

    @Test(arguments: [1, 2]) func childrenThatAreKeptAfterTheirEndAreReported(count: Int) async {
        let kept = (0..<count).map { _ in Kept() }
        let text = await text(.strict) {
            for kept in kept {
                try? await DependencyContainer.shared.withChild({ _ in }) { kept.container = $0 }
            }
        }
        #expect(
            text.contains("references \(count == 1 ? "a child container" : "2 child containers") that was shut down"))
        for kept in kept { kept.container = nil }
    }

    @Test func aJobKeepsNothing() async throws {
        try await withIsolatedDependencies(.strict) {
            DependencyContainer.shared.register(Pool.self, lifetime: .scoped) { _ in
                Pool()
            } onDispose: { _ in
            }
            let job = try await DependencyContainer.shared.withChild({ _ in }) { request in
                try request.startJob { _ = try $0.require(Pool.self) }
            }
            try await job.value
        }
    }

    @Test func manyChildrenThatAreShutDownAreNoMistake() async throws {
        try await withIsolatedDependencies(.strict) {
            DependencyContainer.shared.register(Pool.self, lifetime: .scoped) { _ in
                Pool()
            } onDispose: { _ in
            }
            var kept: [DependencyContainer] = []
            for _ in 0..<100 {
                let child = DependencyContainer.shared.makeChild()
                _ = child.resolve(Pool.self)
                try await child.shutdown()
                kept.append(child)
                _ = try await DependencyContainer.shared.withChild({ _ in }) { $0.resolve(Pool.self) }
            }
        }
    }
}

// Unchecked, because of the variable. Sound, because it is used by one task at a time.
private final class Kept: @unchecked Sendable { var container: DependencyContainer? }
