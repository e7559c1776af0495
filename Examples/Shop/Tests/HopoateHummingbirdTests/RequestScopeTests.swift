import Hopoate
import HopoateHummingbird
import Hummingbird
import Testing

@Suite struct RequestScopeTests {
    @Test func concurrentRequestsHaveScopesOfTheirOwn() async throws {
        let app = TestApp { child, request, _ in child.register(request.uri.path, for: String.self) }
        let seen = Journal()
        for name in ["left", "right"] {
            app.router.get("\(name)") { [journal = app.journal] _, context in
                let work = try context.dependencies.require(Work.self)
                journal.note("arrived")
                try await journal.wait(for: "arrived", times: 2)
                #expect(try context.dependencies.require(Work.self) === work)
                seen.note("\(ObjectIdentifier(work))")
                return try context.dependencies.require(String.self)
            }
        }
        try await app.serve { server in
            async let left = server.get("/left")
            async let right = server.get("/right")
            let answers = try await [left, right]
            #expect(answers == [Answer(status: 200, body: "/left"), Answer(status: 200, body: "/right")])
        }
        #expect(Set(seen.all).count == 2)
        #expect(app.scopes.begun == 2)
        #expect(!app.container.canResolve(String.self))
    }

    @Test func hooksRunOnceAfterAResponse() async throws {
        let app = TestApp()
        app.router.get("work") { _, context in
            _ = try context.dependencies.require(Work.self)
            return "done"
        }
        try await app.serve { server in
            for number in 1...3 {
                let answer = try await server.get("/work")
                #expect(answer == Answer(status: 200, body: "done"))
                try await app.journal.wait(for: "disposed", times: number)
            }
        }
        #expect(app.journal.all == ["disposed", "disposed", "disposed"])
        #expect(app.errors.isEmpty)
    }

    @Test func aThrowingHandlerEndsItsScopeBeforeTheResponse() async throws {
        let app = TestApp()
        app.router.get("work") { _, context -> String in
            _ = try context.dependencies.require(Work.self)
            throw HTTPError(.conflict)
        }
        try await app.serve { server in
            let answer = try await server.get("/work")
            #expect(answer.status == 409)
            #expect(app.journal.all == ["disposed"])
        }
        #expect(app.journal.all == ["disposed"])
    }

    @Test(arguments: [401, 500]) func aThrowingPreparationIsTheResponseAndEndsTheScope(status: Int) async throws {
        let app = TestApp { child, _, _ in
            _ = try child.require(Work.self)
            if status == 401 { throw HTTPError(.unauthorized) }
            throw Refused()
        }
        app.router.get("work") { [journal = app.journal] _, _ in
            journal.note("handled")
            return "done"
        }
        try await app.serve { server in
            let answer = try await server.get("/work")
            #expect(answer == Answer(status: status, body: ""))
            #expect(app.journal.all == ["disposed"])
        }
        #expect(app.journal.all == ["disposed"])
    }

    @Test func anUnknownRouteLeavesNoScope() async throws {
        let app = TestApp()
        try await app.serve { server in
            let answer = try await server.get("/nothing")
            #expect(answer.status == 404)
            try await eventually { app.scopes.live == 0 }
        }
        #expect(app.scopes.begun == 1)
        #expect(app.errors.isEmpty)
    }

    @Test func aThrowingHookIsLoggedAndDoesNotChangeTheResponse() async throws {
        let app = TestApp()
        app.container.register([Int].self, lifetime: .scoped) { _ in
            [7]
        } onAsyncDispose: { _ in
            throw Refused()
        }
        app.router.get("work") { _, context in
            _ = try context.dependencies.require(Work.self)
            return "\(try context.dependencies.require([Int].self))"
        }
        try await app.serve { server in
            let answer = try await server.get("/work")
            #expect(answer == Answer(status: 200, body: "[7]"))
            // The hooks run in reverse: this one is the second.
            try await app.journal.wait(for: "disposed")
        }
        let error = try #require(app.errors.first)
        #expect(app.errors.count == 1)
        for part in ["The disposal hook of a service failed.", "[Swift.Int]", "Refused", "hb.request.id"] {
            #expect(error.contains(part))
        }
    }

    @Test func aCancelledRequestStillRunsItsHooks() async throws {
        let app = TestApp()
        app.router.get("work") { [journal = app.journal] _, context in
            _ = try context.dependencies.require(Work.self)
            journal.note("arrived")
            try await Task.sleep(for: .seconds(3_600))
            return "done"
        }
        try await app.expectHooks(ofCancelledRequestTo: app.router)
    }

    @Test func aTaskThatOutlivesItsRequestGetsAnError() async throws {
        let app = TestApp()
        let late = Journal()
        app.router.get("work") { [journal = app.journal] _, context in
            let container = try context.dependencies
            _ = try container.require(Work.self)
            Task {
                try await journal.wait(for: "disposed")
                let error = #expect(throws: DependencyError.self) { try container.require(Work.self) }
                late.note(error?.reason == .shutDown ? "shut down" : "another error")
            }
            return "done"
        }
        try await app.serve { server in
            _ = try await server.get("/work")
            try await late.wait(for: "shut down")
        }
    }
}

struct Refused: Error {}
