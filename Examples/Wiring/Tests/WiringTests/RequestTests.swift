import Testing

@Suite struct RequestTests {
    @Test(arguments: Variant.allCases) func concurrentRequestsHaveTheirOwnUsersAndTransactions(
        variant: Variant
    ) async throws {
        let recorder = Recorder()
        let gates = [recorder.block("charge Ada"), recorder.block("charge Grace")]
        try await RunningShop.run(variant, recorder) { shop in
            async let first = shop.order("tea", user: "Ada")
            async let second = shop.order("coffee", user: "Grace")
            try await recorder.wait(for: "charge Ada")
            try await recorder.wait(for: "charge Grace")
            // An order that is not committed is seen by its own transaction only.
            let early = try await shop.send("/orders", user: "Ada")
            #expect(early == Answer(status: 200, body: ""))
            for gate in gates { gate.open() }
            let answers = try await [first, second]
            #expect(answers.map(\.status) == [200, 200])
            #expect(answers.map(\.body) == ["Ada: tea for 3", "Grace: coffee for 4"])
            let listing = try await shop.send("/orders", user: "Ada")
            #expect(listing.body == "tea")
        }
        #expect(recorder.all.count { $0.hasPrefix("begin") } == 4)
        #expect(recorder.all.count { $0.hasPrefix("commit") } == 4)
        #expect(recorder.all.count { $0.hasPrefix("end") } == 4)
    }

    @Test(arguments: Variant.allCases) func anErrorIsAnswered500AndRollsBack(variant: Variant) async throws {
        let recorder = Recorder()
        recorder.fail("charge Ada")
        try await RunningShop.run(variant, recorder) { shop in
            let answer = try await shop.order("tea", user: "Ada")
            #expect(answer.status == 500)
            #expect(recorder.all.contains("roll back 1"))
            let listing = try await shop.send("/orders", user: "Ada")
            #expect(listing == Answer(status: 200, body: ""))
        }
        #expect(!recorder.all.contains("commit 1"))
    }

    @Test(arguments: Variant.allCases) func aFailedCommitIsAnswered500AndRollsBack(variant: Variant) async throws {
        let recorder = Recorder()
        recorder.fail("commit 1")
        try await RunningShop.run(variant, recorder) { shop in
            let answer = try await shop.order("tea", user: "Ada")
            #expect(answer.status == 500)
            #expect(recorder.all.last == "roll back 1")
        }
    }

    @Test(arguments: Variant.allCases) func aFailedRollbackIsLoggedAndChangesNoResponse(variant: Variant) async throws {
        let recorder = Recorder()
        recorder.fail("end 1")
        try await RunningShop.run(variant, recorder) { shop in
            let answer = try await shop.order("tea", user: "Ada")
            #expect(answer.status == 200)
            try await eventually { shop.errors.contains { $0.contains("end 1") } }
        }
    }

    @Test(arguments: Variant.allCases) func aRequestWithoutAUserIsRefusedWithoutATransaction(
        variant: Variant
    ) async throws {
        let recorder = Recorder()
        try await RunningShop.run(variant, recorder) { shop in
            let answer = try await shop.send("/orders")
            #expect(answer.status == 401)
        }
        #expect(!recorder.all.contains("begin 1"))
    }
}
