import Foundation
import Hopoate
import HopoateTestingHelpers
import Testing

private struct Marker: Equatable { var text: String }

/// The markers in the container of the running test.
private var markers: [String] { DependencyContainer.shared.resolveAll(Marker.self).map(\.text) }

private func register(_ text: String) { DependencyContainer.shared.register(Marker(text: text), for: Marker.self) }

/// The containers of tests, and the running tests. Containers are retained, so that no two have the same address.
private actor Meeting {
    static let inASuite = Meeting()
    static let ofArguments = Meeting()

    private var containers: [DependencyContainer] = []

    /// Waits for other tests to arrive. The time is limited, because tests may run one by one or alone.
    func meet(_ container: DependencyContainer, count: Int) async -> Bool {
        let isNew = !containers.contains { $0 === container }
        containers.append(container)
        let deadline = Date() + 2
        while containers.count < count, Date() < deadline { try? await Task.sleep(nanoseconds: 1_000_000) }
        return isNew
    }
}

@Suite(.isolatedDependencies) struct IsolatedSuiteTests {
    // Each of these tests registers, waits until the other one has, and sees only its own registration.
    @Test func firstTestSeesOnlyItsOwn() async { await registerAndMeet("first") }
    @Test func secondTestSeesOnlyItsOwn() async { await registerAndMeet("second") }

    private func registerAndMeet(_ text: String) async {
        #expect(markers == [])
        register(text)
        let isNew = await Meeting.inASuite.meet(.shared, count: 2)
        #expect(isNew)
        #expect(markers == [text])
        #expect(resolve(Marker.self).text == text)
    }

    @Test(arguments: 0..<4) func eachArgumentIsIsolated(argument: Int) async {
        #expect(markers == [])
        register("\(argument)")
        let isNew = await Meeting.ofArguments.meet(.shared, count: 4)
        #expect(isNew)
        #expect(markers == ["\(argument)"])
    }

    @Test func bindingReachesChildTasks() async {
        register("parent")
        async let seen = markers
        #expect(await seen == ["parent"])
    }

    @Suite struct Inner {
        @Test func innerSuitesAreIsolatedToo() async {
            #expect(markers == [])
            register("inner")
            #expect(markers == ["inner"])
        }

        @Suite struct Innermost {
            @Test func innermostSuitesAreIsolatedToo() {
                #expect(markers == [])
                register("innermost")
                #expect(markers == ["innermost"])
            }
        }
    }
}

@Suite struct IsolatedTestTests {
    @Test(.isolatedDependencies) func singleTestIsIsolated() async {
        // A detached task has no override, so it uses the default container.
        let ofTheProcess = await Task.detached { DependencyContainer.shared }.value
        #expect(DependencyContainer.shared !== ofTheProcess)
        #expect(markers == [])
        register("single")
        #expect(markers == ["single"])
    }

    @Test(.isolatedDependencies, arguments: ["a", "b"]) func argumentsOfASingleTestAreIsolated(text: String) {
        #expect(markers == [])
        register(text)
        #expect(markers == [text])
    }

    @Test func testWithoutTheTraitIsNotIsolated() async {
        let ofTheProcess = await Task.detached { DependencyContainer.shared }.value
        #expect(DependencyContainer.shared === ofTheProcess)
        #expect(markers == [])
    }
}

/// Registers in the container of each test before it runs, like an outer trait.
private struct RegisteringTrait: SuiteTrait, TestTrait, TestScoping {
    let text: String
    var isRecursive: Bool { true }

    func scopeProvider(for test: Test, testCase: Test.Case?) -> RegisteringTrait? { testCase == nil ? nil : self }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        register(text)
        try await function()
    }
}

extension Trait where Self == RegisteringTrait {
    fileprivate static func registering(_ text: String) -> Self { Self(text: text) }
}

@Suite(.isolatedDependencies, .registering("outer")) struct InheritingTests {
    @Test(.isolatedDependencies(.inheriting)) func inheritingTestSeesTheSurroundings() {
        #expect(markers == ["outer"])
        register("own")
        #expect(markers == ["own", "outer"])
        #expect(resolve(Marker.self).text == "own")
    }

    @Test(.isolatedDependencies(.empty)) func emptyTestDoesNotSeeTheSurroundings() {
        #expect(markers == [])
        #expect(optionalResolve(Marker.self) == nil)
    }

    @Test func testWithoutItsOwnTraitSeesTheSurroundings() {
        #expect(markers == ["outer"])
    }

    @Test(.isolatedDependencies(.inheriting), .registering("between"), .isolatedDependencies(.inheriting))
    func traitsNest() {
        #expect(markers == ["between", "outer"])
    }

    @Suite(.isolatedDependencies(.inheriting)) struct Inner {
        @Test(arguments: 0..<3) func inheritingSuiteSeesTheSurroundings(argument: Int) {
            #expect(markers == ["outer"])
            register("\(argument)")
            #expect(markers == ["\(argument)", "outer"])
        }
    }
}

@Suite(.isolatedDependencies { $0.register(Marker(text: "set up"), for: Marker.self) }) struct SetUpTests {
    @Test(arguments: 0..<2) func setUpRunsForEachTestCase(argument: Int) {
        #expect(markers == ["set up"])
        register("\(argument)")
    }

    @Test(
        .isolatedDependencies(.inheriting) { container in
            #expect(container === DependencyContainer.shared)
            await Task.yield()
            container.register(Marker(text: "inner"), for: Marker.self)
        })
    func setUpOfAnInheritingTestAddsToTheSurroundings() {
        #expect(markers == ["inner", "set up"])
    }

    @Test(.isolatedDependencies) func innerTraitWithoutSetUpStartsEmpty() { #expect(markers == []) }
}

/// The trait itself, without the test runner.
@Suite struct TraitTests {
    @Test func traitScopesTestCasesAndNotSuites() throws {
        let trait: IsolatedDependenciesTrait = .isolatedDependencies
        let test = try #require(Test.current)
        #expect(trait.isRecursive)
        #expect(trait.scopeProvider(for: test, testCase: nil) == nil)
        #expect(trait.scopeProvider(for: test, testCase: Test.Case.current) != nil)
    }

    @Test func parallelScopesDoNotSeeEachOther() async throws {
        let trait: IsolatedDependenciesTrait = .isolatedDependencies
        let test = try #require(Test.current)
        let meeting = Meeting()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    try await trait.provideScope(for: test, testCase: nil) {
                        #expect(markers == [])
                        register("\(number)")
                        let isNew = await meeting.meet(.shared, count: 8)
                        #expect(isNew)
                        #expect(markers == ["\(number)"])
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func registrationsOfAnInheritingScopeDoNotReachTheSurroundings() async throws {
        let trait: IsolatedDependenciesTrait = .isolatedDependencies(.inheriting)
        let test = try #require(Test.current)
        try await DependencyContainer.$shared.withValue(DependencyContainer()) {
            register("outer")
            try await trait.provideScope(for: test, testCase: nil) {
                register("inner")
                #expect(markers == ["inner", "outer"])
            }
            #expect(markers == ["outer"])
        }
    }

    @Test func testErrorsAreRethrownAndEndTheScope() async throws {
        struct Failed: Error, Equatable {}
        let trait: IsolatedDependenciesTrait = .isolatedDependencies
        let test = try #require(Test.current)
        let before = DependencyContainer.shared
        await #expect(throws: Failed()) {
            try await trait.provideScope(for: test, testCase: nil) { throw Failed() }
        }
        #expect(DependencyContainer.shared === before)
    }

    @Test func errorOfTheSetUpIsThrownAndTheTestDoesNotRun() async throws {
        struct Failed: Error, Equatable {}
        let trait: IsolatedDependenciesTrait = .isolatedDependencies { _ in throw Failed() }
        let test = try #require(Test.current)
        await #expect(throws: Failed()) {
            try await trait.provideScope(for: test, testCase: nil) { Issue.record("ran") }
        }
    }

    @Test func containerOfATestIsReleasedWithIt() async throws {
        let trait: IsolatedDependenciesTrait = .isolatedDependencies
        let test = try #require(Test.current)
        let weakly = WeakContainer()
        try await trait.provideScope(for: test, testCase: nil) { weakly.set(.shared) }
        #expect(weakly.isGone)
    }
}

// Unchecked, because of the variable. Sound, because it is set before the scope ends and read afterwards.
private final class WeakContainer: @unchecked Sendable {
    private weak var container: DependencyContainer?
    func set(_ container: DependencyContainer) { self.container = container }
    var isGone: Bool { container == nil }
}
