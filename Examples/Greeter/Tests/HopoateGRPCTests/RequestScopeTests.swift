import GRPCCore
import Hopoate
import HopoateGRPC
import Testing

@Suite struct RequestScopeTests {
    @Test func aUnaryScopeEndsBeforeTheClientGetsTheStatus() async throws {
        let app = TestApp()
        let service = TestService { name, context in
            let work = try context.dependencies.require(Work.self)
            #expect(try context.dependencies.require(Work.self) === work)
            #expect(DependencyContainer.shared !== (try context.dependencies))
            return "Hello, \(name)"
        }
        try await app.serve(service) { server async throws in
            for number in 1...3 {
                #expect(try await server.unary("Ada") == "Hello, Ada")
                #expect(app.journal.all == Array(repeating: "disposed", count: number))
            }
        }
        #expect(app.journal.all == ["disposed", "disposed", "disposed"])
        #expect(app.scopes.begun == 3)
        #expect(app.errors.isEmpty)
    }

    @Test func aResponseStreamSeesTheScopeOfItsHandler() async throws {
        let app = TestApp()
        let service = TestService { [journal = app.journal] _, context in
            let work = try context.dependencies.require(Work.self)
            return StreamingServerResponse { writer in
                for number in 1...3 {
                    #expect(try context.dependencies.require(Work.self) === work)
                    try await writer.write("\(number)")
                    journal.note("\(number)")
                }
                return [:]
            }
        }
        try await app.serve(service) { server async throws in
            #expect(try await server.all("count") == ["1", "2", "3"])
            #expect(app.journal.all == ["1", "2", "3", "disposed"])
        }
        #expect(app.journal.all.count == 4)
    }

    @Test func aHandlerOfAClientStreamHasOneScope() async throws {
        let app = TestApp()
        let service = TestService { request, context in
            let work = try context.dependencies.require(Work.self)
            var words: [String] = []
            for try await word in request.messages {
                #expect(try context.dependencies.require(Work.self) === work)
                words.append(word)
            }
            return StreamingServerResponse(single: ServerResponse(message: words.joined(separator: " ")))
        }
        try await app.serve(service) { server in
            let answer = try await server.stream {
                for word in ["one", "two", "three"] { try await $0.write(word) }
            } receive: {
                try await $0.reduce(into: []) { $0.append($1) }
            }
            #expect(answer == ["one two three"])
            #expect(app.journal.all == ["disposed"])
        }
        #expect(app.scopes.begun == 1)
    }

    @Test func aBidirectionalStreamHasOneScopeUntilItsEnd() async throws {
        let app = TestApp()
        let service = TestService { request, context in
            StreamingServerResponse { writer in
                let work = try context.dependencies.require(Work.self)
                for try await word in request.messages {
                    #expect(try context.dependencies.require(Work.self) === work)
                    try await writer.write("\(word)!")
                }
                return [:]
            }
        }
        try await app.serve(service) { server in
            let (words, sender) = AsyncStream.makeStream(of: String.self)
            sender.yield("ping")
            let answers = try await server.stream {
                for await word in words { try await $0.write(word) }
            } receive: { [journal = app.journal] messages in
                var answers: [String] = []
                for try await answer in messages {
                    // The client has not closed its half, so the scope has not ended.
                    if answers.count < 3 { #expect(journal.all.isEmpty) }
                    answers.append(answer)
                    if answers.count < 3 { sender.yield("ping") } else { sender.finish() }
                }
                return answers
            }
            #expect(answers == ["ping!", "ping!", "ping!"])
            #expect(app.journal.all == ["disposed"])
        }
        #expect(app.scopes.begun == 1)
    }

    @Test func concurrentRPCsHaveScopesOfTheirOwn() async throws {
        let app = TestApp { child, metadata, _ in
            let user = metadata[stringValues: "user"].first { _ in true }
            child.register(user ?? "nobody", for: String.self)
        }
        let seen = Journal()
        let service = TestService { [journal = app.journal] _, context in
            let work = try context.dependencies.require(Work.self)
            journal.note("arrived")
            try await journal.wait(for: "arrived", times: 2)
            #expect(try context.dependencies.require(Work.self) === work)
            seen.note("\(ObjectIdentifier(work))")
            return try context.dependencies.require(String.self)
        }
        try await app.serve(service) { server in
            async let left = server.unary("", metadata: ["user": "left"])
            async let right = server.unary("", metadata: ["user": "right"])
            let answers = try await [left, right]
            #expect(answers == ["left", "right"])
        }
        #expect(Set(seen.all).count == 2)
        #expect(app.scopes.begun == 2)
        #expect(!app.container.canResolve(String.self))
    }

    @Test func childTasksSeeTheScope() async throws {
        let app = TestApp()
        let service = TestService { _, context in
            let work = try context.dependencies.require(Work.self)
            async let same = try context.dependencies.require(Work.self) === work
            let alsoSame = try await Task { try context.dependencies.require(Work.self) === work }.value
            return try await same && alsoSame ? "same" : "another"
        }
        try await app.serve(service) { server async throws in
            #expect(try await server.unary("") == "same")
        }
    }

    @Test func hooksAreAwaitedInReverseOrder() async throws {
        let app = TestApp()
        app.container.register([Int].self, lifetime: .scoped) { container in
            _ = try container.require(Work.self)
            return [7]
        } onAsyncDispose: { [journal = app.journal] numbers in
            for _ in 1...100 { await Task.yield() }
            journal.note("disposed of \(numbers)")
        }
        let service = TestService { _, context in "\(try context.dependencies.require([Int].self))" }
        try await app.serve(service) { server async throws in
            #expect(try await server.unary("") == "[7]")
            #expect(app.journal.all == ["disposed of [7]", "disposed"])
        }
    }

    @Test func aTaskThatOutlivesItsRPCGetsAnError() async throws {
        let app = TestApp()
        let late = Journal()
        let service = TestService { [journal = app.journal] _, context in
            let container = try context.dependencies
            _ = try container.require(Work.self)
            Task {
                try await journal.wait(for: "disposed")
                let error = #expect(throws: DependencyError.self) { try container.require(Work.self) }
                late.note(error?.reason == .shutDown ? "shut down" : "another error")
            }
            return "done"
        }
        try await app.serve(service) { server in
            _ = try await server.unary("")
            try await late.wait(for: "shut down")
        }
    }

    @Test func aTaskThatOutlivesItsRPCGetsAnErrorWithoutHooks() async throws {
        let app = TestApp()
        app.container.register([Int].self, lifetime: .scoped) { _ in [7] }
        let late = Journal()
        let service = TestService { _, context in
            let child = try context.dependencies
            _ = try child.require([Int].self)
            for (name, container) in [("child", child), ("grandchild", child.makeChild())] {
                Task {
                    try await late.wait(for: "answered")
                    let error = #expect(throws: DependencyError.self) { try container.require([Int].self) }
                    late.note("\(name): \(error?.reason == .shutDown)")
                }
            }
            return "done"
        }
        try await app.serve(service) { server in
            _ = try await server.unary("")
            late.note("answered")
            for name in ["child", "grandchild"] { try await late.wait(for: "\(name): true") }
        }
    }

    @Test func withoutTheInterceptorTheErrorNamesItAndTheMethod() async throws {
        let app = TestApp()
        let service = TestService { _, context in
            let error = #expect(throws: MissingRequestScopeInterceptor.self) { _ = try context.dependencies }
            #expect(error?.method == "test.Test/Do")
            return "\(try context.dependencies)"
        }
        try await app.serve(service, behind: []) { server in
            let error = await #expect(throws: RPCError.self) { try await server.unary("") }
            #expect(error?.code == .internalError)
            #expect(error?.message == "")
        }
        for part in ["'test.Test/Do'", "has no request scope", "Add a `RequestScopeInterceptor`"] {
            #expect(app.errors.first?.contains(part) == true)
        }
    }
}
