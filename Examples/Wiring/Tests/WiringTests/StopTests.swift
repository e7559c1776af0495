import Components
import Testing

@Suite struct StopTests {
    @Test(arguments: Variant.allCases) func clientsCloseAfterTheServerAndBeforeTheirDependencies(
        variant: Variant
    ) async throws {
        let recorder = Recorder()
        let gate = recorder.block("charge Ada")
        let failure = try await RunningShop.run(variant, recorder) { shop in
            async let order = shop.order("tea", user: "Ada")
            try await recorder.wait(for: "charge Ada")
            await shop.beginStop()
            gate.open()
            let answer = try await order
            #expect(answer.status == 200)
            _ = await shop.end()
        }
        #expect(failure == nil)
        let closing = recorder.all.drop { $0 != "end 1" }
        // By hand the database stops with the server. The container lets it run until its users are closed.
        #expect(closing.dropFirst(variant == .byHand ? 1 : 4).first == "stop database")
        #expect(closing.last == "close database")
        #expect(
            closing.sorted() == [
                "close cache", "close database", "close mailer", "close payments", "end 1", "stop database",
            ])
    }

    @Test(arguments: Variant.allCases) func aClientThatHangsIsLeftBehindAndNamed(variant: Variant) async throws {
        let recorder = Recorder()
        let gate = recorder.block("close cache")
        var settings = Settings()
        settings.closeLimit = .milliseconds(20)
        let failure = try await RunningShop.run(variant, recorder, settings: settings) { shop in
            try await shop.waitUntilListening()
            _ = await shop.stop()
            #expect(shop.errors.contains { $0.contains("Cache") })
        }
        #expect("\(try #require(failure))".contains("Cache"))
        #expect(recorder.all.last == "close database")
        gate.open()
    }

    @Test(arguments: Variant.allCases) func allClientsTogetherHaveALimit(variant: Variant) async throws {
        let recorder = Recorder()
        let gates = [recorder.block("close cache"), recorder.block("close payments"), recorder.block("close database")]
        var settings = Settings()
        settings.closeLimit = .seconds(3_600)
        settings.stopLimit = .milliseconds(20)
        let failure = try await RunningShop.run(variant, recorder, settings: settings) { shop in
            try await shop.waitUntilListening()
        }
        let text = "\(try #require(failure))"
        #expect(text.contains("Cache") && text.contains("Payments") && text.contains("Database"))
        for gate in gates { gate.open() }
    }

    @Test(arguments: Variant.allCases) func aClientThatFailsToCloseIsNamed(variant: Variant) async throws {
        let recorder = Recorder()
        recorder.fail("close cache")
        let failure = try await RunningShop.run(variant, recorder) { shop in
            try await shop.waitUntilListening()
        }
        #expect("\(try #require(failure))".contains("Cache"))
        #expect(recorder.all.last == "close database")
    }

    @Test(arguments: Variant.allCases) func aCancelledServiceClosesItsClients(variant: Variant) async throws {
        let recorder = Recorder()
        _ = try await RunningShop.run(variant, recorder) { shop in
            try await shop.waitUntilListening()
            shop.cancel()
            _ = await shop.end()
        }
        #expect(recorder.all.contains("close payments"))
        #expect(recorder.all.last == "close database")
    }
}
