import Hopoate
import HopoateTestingHelpers
import ServiceLifecycle
import Testing
import Wire

@testable import Shop

@Suite(.isolatedDependencies) struct ShutdownTests {
    @Test func whatIsInFlightIsFinishedAndThenAllIsDisposedOfInOrder() async throws {
        let gate = Gate()
        try await withShop(script: { _ in
            await gate.pass()
            return .answer
        }) { shop in
            let session = try await shop.makeCustomer()
            async let answer = shop.checkOut(session)
            try await eventually { gate.arrived == 1 }
            await shop.group.triggerGracefulShutdown()
            // It takes no more connections, and the one that is open stays until it has its answer.
            try await eventually {
                guard let late = try? await WireConnection.open(host: "127.0.0.1", port: shop.port) else { return true }
                late.close()
                return false
            }
            #expect(!shop.log.messages.contains { $0.hasPrefix("closed") })
            gate.open()
            let status = try await answer.status
            #expect(status == 201)
            try await shop.running.value
            let ends = shop.log.messages.filter { $0 == "order paid" || $0.hasPrefix("closed") }
            #expect(ends == ["order paid", "closed the payment client", "closed the storage"])
            #expect(!shop.container.canResolve(Storage.self))
        }
    }
}
