import Components
import Testing

@Suite struct HealthTests {
    @Test(arguments: Variant.allCases) func aServiceIsReadyBeforeTheMailerExists(variant: Variant) async throws {
        let recorder = Recorder()
        try await RunningShop.run(variant, recorder) { shop in
            let ready = try await shop.send("/health/ready")
            #expect(ready.status == 200)
            #expect(ready.body.contains("notCreated"))
            #expect(!recorder.all.contains("open mailer"))
            #expect(["ping database", "ping cache", "ping payments"].allSatisfy { recorder.count($0) == 1 })
        }
    }

    @Test(arguments: Variant.allCases) func aServiceWithABrokenClientIsAliveAndNotReady(variant: Variant) async throws {
        let recorder = Recorder()
        recorder.fail("ping cache", times: 1)
        try await RunningShop.run(variant, recorder) { shop in
            let ready = try await shop.send("/health/ready")
            #expect(ready.status == 503)
            #expect(ready.body.contains("Cache") && ready.body.contains("unhealthy"))
            let live = try await shop.send("/health/live")
            #expect(live.status == 200)
            let repaired = try await shop.send("/health/ready")
            #expect(repaired.status == 200)
        }
    }

    @Test(arguments: Variant.allCases) func aCheckThatHangsIsNotWaitedFor(variant: Variant) async throws {
        let recorder = Recorder()
        let gate = recorder.block("ping database")
        var settings = Settings()
        settings.healthLimit = .milliseconds(20)
        try await RunningShop.run(variant, recorder, settings: settings) { shop in
            let ready = try await shop.send("/health/ready")
            #expect(ready.status == 503)
            #expect(ready.body.contains("Database") && ready.body.contains("timedOut"))
            gate.open()
        }
    }
}
