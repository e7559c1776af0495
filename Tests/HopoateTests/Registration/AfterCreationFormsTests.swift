import Hopoate
import Testing

private final class Note: Sendable {
    let text: String
    init(_ text: String) { self.text = text }
}

/// `afterCreation:` with each form of `register` that has it.
@Suite struct AfterCreationFormsTests {
    let container = DependencyContainer()
    private let completed = Locked<[String]>([])

    private var complete: @Sendable (Note, DependencyContainer) throws -> Void {
        { [completed] note, _ in completed.withLock { $0.append(note.text) } }
    }

    @Test func completionRunsWithFactories() async throws {
        container.register(Note.self, named: "sync", factory: { _ in Note("sync") }, afterCreation: complete)
        container.register(Note.self, named: "async", factory: { _ async in Note("async") }, afterCreation: complete)
        container.register(
            Note.self, named: "main", factory: { @MainActor _ in Note("main") }, afterCreation: complete)
        container.register(
            unchecked: Note.self, named: "unchecked", factory: { _ in Note("unchecked") }, afterCreation: complete)
        for name in ["sync", "async", "main", "unchecked"] as [DependencyName] {
            _ = try await container.asyncResolve(Note.self, named: name)
            _ = container.resolve(Note.self, named: name)
        }
        #expect(completed.current == ["sync", "async", "main", "unchecked"])
    }

    @Test(arguments: [Lifetime.transient, .keyed])
    func completionRunsWithArguments(lifetime: Lifetime) async throws {
        container.register(
            Note.self, named: "sync", lifetime: lifetime,
            factory: { (_, text: String, number: Int) in Note("sync \(text) \(number)") }, afterCreation: complete)
        container.register(
            Note.self, named: "async", lifetime: lifetime,
            factory: { (_, text: String, number: Int) async in Note("async \(text) \(number)") },
            afterCreation: complete)
        container.register(
            unchecked: Note.self, named: "unchecked", lifetime: lifetime,
            factory: { (_, text: String, number: Int) in Note("unchecked \(text) \(number)") },
            afterCreation: complete)
        for name in ["sync", "async", "unchecked"] as [DependencyName] {
            _ = try await container.asyncResolve(Note.self, named: name, arguments: "a", 1)
        }
        #expect(completed.current == ["sync a 1", "async a 1", "unchecked a 1"])
        _ = container.resolve(Note.self, named: "sync", arguments: "b", 2)
        #expect(completed.current.last == "sync b 2")
    }

    @Test func completionRunsWithInitializers() async throws {
        container.register(7, for: Int.self)
        container.register(Note.self, named: "0", using: { Note("0") }, afterCreation: complete)
        container.register(Note.self, named: "1", using: { (_: Int) in Note("1") }, afterCreation: complete)
        container.register(Note.self, named: "2", using: { (_: Int, _: Int) in Note("2") }, afterCreation: complete)
        container.register(
            Note.self, named: "3", using: { (_: Int, _: Int, _: Int) in Note("3") }, afterCreation: complete)
        container.register(
            Note.self, named: "4", using: { (_: Int, _: Int, _: Int, _: Int) in Note("4") }, afterCreation: complete)
        container.register(
            Note.self, named: "5", using: { (_: Int, _: Int, _: Int, _: Int, _: Int) in Note("5") },
            afterCreation: complete)
        container.register(
            Note.self, named: "6", using: { (_: Int, _: Int, _: Int, _: Int, _: Int, _: Int) in Note("6") },
            afterCreation: complete)
        container.register(
            Note.self, named: "async", using: { (_: Int) async in Note("async") }, afterCreation: complete)
        container.register(
            Note.self, named: "main", using: { @MainActor (_: Int) in Note("main") }, afterCreation: complete)
        let names = (0...6).map { "\($0)" } + ["async", "main"]
        for name in names { _ = try await container.asyncResolve(Note.self, named: DependencyName(name)) }
        #expect(completed.current == names)
    }

    @Test func completionThatThrowsFailsTheCreationWithArguments() async throws {
        let attempts = Locked(0)
        let refuseOnce: @Sendable (Note, DependencyContainer) throws -> Void = { _, _ in
            try attempts.withLock { attempts in
                attempts += 1
                if attempts % 2 == 1 { throw Refusal.first }
            }
        }
        container.register(
            Note.self, named: "sync", lifetime: .keyed, factory: { (_, text: String) in Note(text) },
            afterCreation: refuseOnce)
        container.register(
            Note.self, named: "async", lifetime: .keyed, factory: { (_, text: String) async in Note(text) },
            afterCreation: refuseOnce)
        for name in ["sync", "async"] as [DependencyName] {
            let error = await failure { [container] () async throws(DependencyError) in
                try await container.asyncResolve(Note.self, named: name, arguments: "a")
            }
            #expect(error?.underlying as? Refusal == .first)
            #expect(try await container.asyncResolve(Note.self, named: name, arguments: "a").text == "a")
        }
        #expect(attempts.current == 4)
    }
}
