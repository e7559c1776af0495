import AsyncHTTPClient
import NIOCore
import Testing

@Suite struct ResponseBodyTests {
    @Test(arguments: Variant.allCases) func aTransactionLastsUntilTheLastByte(variant: Variant) async throws {
        let recorder = Recorder()
        let gate = recorder.block("watched 1")
        try await RunningShop.run(variant, recorder) { shop in
            let response = try await shop.open("/orders/watch?times=2", user: "Ada")
            var parts = response.body.makeAsyncIterator()
            let first = try await parts.next()
            #expect(first == ByteBuffer(string: "0\n"))
            #expect(recorder.all.contains("commit 1") && !recorder.all.contains("end 1"))
            gate.open()
            var rest = ""
            while let part = try await parts.next() { rest += String(buffer: part) }
            #expect(rest == "0\n")
            try await recorder.wait(for: "end 1")
        }
        #expect(recorder.count("end 1") == 1)
    }

    @Test(arguments: Variant.allCases) func aDisconnectInTheMiddleOfABodyEndsTheTransaction(
        variant: Variant
    ) async throws {
        let recorder = Recorder()
        try await RunningShop.run(variant, recorder) { shop in
            do {
                let response = try await shop.open("/orders/watch", user: "Ada")
                var parts = response.body.makeAsyncIterator()
                _ = try await parts.next()
                #expect(!recorder.all.contains("end 1"))
            }
            // The client has closed the connection, because nobody reads the body any more.
            try await recorder.wait(for: "end 1")
        }
        #expect(recorder.count("end 1") == 1)
    }

    @Test(arguments: Variant.allCases) func aDisconnectBeforeTheResponseEndsTheTransaction(
        variant: Variant
    ) async throws {
        let recorder = Recorder()
        let gate = recorder.block("charge Ada")
        try await RunningShop.run(variant, recorder) { shop in
            let order = Task { try await shop.order("tea", user: "Ada") }
            try await recorder.wait(for: "charge Ada")
            order.cancel()
            _ = await order.result
            gate.open()
            try await eventually { recorder.count("end 1") + recorder.count("roll back 1") == 1 }
        }
    }

    @Test(arguments: Variant.allCases) func aBodyThatThrowsEndsTheTransaction(variant: Variant) async throws {
        let recorder = Recorder()
        recorder.fail("watched 1")
        try await RunningShop.run(variant, recorder) { shop in
            await #expect(throws: (any Error).self) { try await shop.send("/orders/watch?times=2", user: "Ada") }
            try await recorder.wait(for: "end 1")
        }
        #expect(recorder.count("end 1") == 1)
    }
}
