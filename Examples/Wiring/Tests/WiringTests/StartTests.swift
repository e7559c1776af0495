import Testing

@Suite struct StartTests {
    @Test(arguments: Variant.allCases) func independentClientsOpenInParallelBeforeTheServerListens(
        variant: Variant
    ) async throws {
        let recorder = Recorder()
        let gates = [recorder.block("open cache"), recorder.block("open payments")]
        let failure = try await RunningShop.run(variant, recorder) { shop in
            try await recorder.wait(for: "open cache")
            try await recorder.wait(for: "open payments")
            #expect(recorder.all.first == "open database")
            #expect(recorder.all.count == 3)
            for gate in gates { gate.open() }
            try await shop.waitUntilListening()
            try await recorder.wait(for: "run database")
        }
        #expect(failure == nil)
    }

    @Test(arguments: Variant.allCases) func aFailedStartClosesTheOpenClients(variant: Variant) async throws {
        let recorder = Recorder()
        recorder.fail("open payments")
        let failure = try await RunningShop.run(variant, recorder) { shop in
            let port = await shop.listening()
            #expect(port == nil)
            _ = await shop.end()
        }
        #expect("\(try #require(failure))".contains("open payments"))
        try await eventually { recorder.count("close cache") == recorder.count("open cache") }
        try await eventually { recorder.count("close database") == 1 }
        #expect(!recorder.all.contains("run database") && !recorder.all.contains("close payments"))
    }

    @Test(arguments: Variant.allCases) func theMailerOpensOnceForConcurrentOrders(variant: Variant) async throws {
        let recorder = Recorder()
        let gate = recorder.block("open mailer")
        try await RunningShop.run(variant, recorder) { shop in
            let products = try await shop.send("/products")
            #expect(products.body == "coffee 4\ntea 3")
            #expect(!recorder.all.contains("open mailer"))
            async let first = shop.order("tea", user: "Ada")
            async let second = shop.order("tea", user: "Grace")
            try await recorder.wait(for: "begin 2")
            try await recorder.wait(for: "open mailer")
            gate.open()
            let answers = try await [first, second]
            #expect(answers.map(\.status) == [200, 200])
        }
        #expect(recorder.count("open mailer") == 1)
        #expect(recorder.count("close mailer") == 1)
    }

    @Test(arguments: Variant.allCases) func aFailedMailerIsOpenedAgainForTheNextOrder(variant: Variant) async throws {
        let recorder = Recorder()
        recorder.fail("open mailer", times: 1)
        try await RunningShop.run(variant, recorder) { shop in
            let answer = try await shop.order("tea", user: "Ada")
            #expect(answer.status == 500)
            let second = try await shop.order("tea", user: "Ada")
            #expect(second.status == 200)
        }
        #expect(recorder.count("roll back 1") == 1)
        #expect(recorder.count("open mailer") == 2)
    }
}
