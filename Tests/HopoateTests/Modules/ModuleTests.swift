import Hopoate
import Testing

private struct Broken: Error {}

/// A module that runs the given closures.
private struct Module: DependencyModule {
    var parts: [any DependencyModule] = []
    var registering: (DependencyContainer) throws -> Void = { _ in }
    var finishing: (DependencyContainer) throws -> Void = { _ in }

    var modules: [any DependencyModule] { parts }
    func register(in container: DependencyContainer) throws { try registering(container) }
    func didInstall(in container: DependencyContainer) throws { try finishing(container) }
}

private struct Text: DependencyModule {
    let text: String
    init(_ text: String) { self.text = text }
    func register(in container: DependencyContainer) { container.register(text, for: String.self) }
}

private struct Group: DependencyModule {
    var debug = false
    var modules: [any DependencyModule] {
        Text("a")
        if debug { Text("debug") }
    }
}

private final class Endless: DependencyModule {
    var modules: [any DependencyModule] { [Endless()] }
}

private struct Empty: DependencyModule {}

/// Modules and installations.
@Suite(.mayBlock) struct ModuleTests {
    let container = DependencyContainer()
    let tracker = Tracker()

    /// The registered texts, oldest first.
    private var texts: [String] { container.resolveAll(String.self).reversed() }

    // MARK: - The builder

    @Test func builderTakesConditionsLoopsOptionalsAndLists() throws {
        func install(debug: Bool, number: Int) throws {
            let optional: Text? = debug ? Text("optional") : nil
            let existential: (any DependencyModule)? = debug ? Text("existential") : nil
            container.removeAll()
            try container.install {
                Text("first")
                if debug { Text("debug") }
                if number == 1 { Text("one") } else if number == 2 { Text("two") } else { Text("many") }
                for index in 0..<number { Text("loop \(index)") }
                switch number {
                case 1: Text("case one")
                default: Empty()
                }
                optional
                existential
                [Text("list"), Text("of two")]
                if #available(macOS 13, *) { Text("available") }
            }
        }
        try install(debug: true, number: 1)
        #expect(
            texts == [
                "first", "debug", "one", "loop 0", "case one", "optional", "existential", "list", "of two", "available",
            ])
        try install(debug: false, number: 3)
        #expect(texts == ["first", "many", "loop 0", "loop 1", "loop 2", "list", "of two", "available"])
    }

    @Test func emptyInstallRegistersNothing() throws {
        let installation = try container.install {}
        container.uninstall(installation)
        try container.install(Empty())
    }

    @Test func modulesMayContainModules() throws {
        let installation = try container.install {
            Group(debug: true)
            Module(parts: [Group(), Text("b")], registering: { $0.register("itself", for: String.self) })
        }
        #expect(texts == ["a", "debug", "a", "b", "itself"])
        container.uninstall(installation)
        #expect(texts.isEmpty)
    }

    @Test func moduleThatContainsItselfIsAnError() {
        let error = #expect(throws: DependencyError.self) { try container.install(Endless()) }
        #expect(error?.reason == .invalid)
        #expect(error?.description.contains("Endless': the module contains itself") == true)
        #expect(texts.isEmpty)
    }

    // MARK: - Order

    @Test func didInstallIsCalledAfterAllModulesAreRegistered() throws {
        let calls = Locked<[String]>([])
        func note(_ text: String) { calls.withLock { $0.append(text) } }
        try container.install {
            Module(registering: { _ in note("register 1") }, finishing: { note("did 1 " + $0.resolve(String.self)) })
            Module(
                parts: [Module(registering: { _ in note("register part") }, finishing: { _ in note("did part") })],
                registering: { container in
                    note("register 2")
                    container.register("text", for: String.self)
                }, finishing: { _ in note("did 2") })
        }
        #expect(
            calls.current == ["register 1", "register part", "register 2", "did 1 text", "did part", "did 2"])
    }

    @Test func laterModuleShadowsAnEarlierOne() throws {
        try container.install {
            Text("early")
            Text("late")
        }
        #expect(container.resolve(String.self) == "late")
    }

    // MARK: - Uninstalling

    @Test func uninstallRemovesExactlyTheInstalledRegistrations() throws {
        container.register("before", for: String.self)
        let installation = try container.install {
            Text("module")
            Module(
                registering: { container in
                    container.register(Int.self) { _ in 7 }
                    container.register(Int.self, named: "named") { _ in 8 }
                    container.register(Int.self) { (_, number: Int) in number }
                    container.register([Int].self) { _ async in [9] }
                    container.forward((any Sendable).self, to: Int.self) { $0 }
                    container.decorate(String.self) { inner, _ in inner + "!" }
                    container.values[NumberKey.self] = 7
                }, finishing: { $0.register("did", for: Substring.self) })
        }
        container.register("after", for: String.self)
        #expect(texts == ["before", "module", "module!", "after"])
        container.uninstall(installation)
        #expect(texts == ["before", "after"])
        #expect(!container.canResolve(Int.self))
        #expect(!container.canResolve(Int.self, named: "named"))
        #expect(container.optionalResolve(Int.self, arguments: 1) == nil)
        #expect(!container.canResolve([Int].self))
        #expect(!container.canResolve((any Sendable).self))
        #expect(!container.canResolve(Substring.self))
        #expect(container.values[NumberKey.self] == 0)
        container.register("again", for: String.self)
        container.uninstall(installation)
        #expect(texts == ["before", "after", "again"])
    }

    @Test func servicesAreDisposedOfNewestFirst() throws {
        let ended = Locked<[String]>([])
        let installation = try container.install(
            Module(registering: { container in
                for name in ["1", "2", "3"] {
                    container.register(String.self, named: DependencyName(name), lifetime: .eager) { _ in
                        name
                    } onDispose: { text in
                        ended.withLock { $0.append(text) }
                    }
                }
            }))
        container.uninstall(installation)
        #expect(ended.current == ["3", "2", "1"])
    }

    @Test func anotherContainersInstallationIsLeftAlone() throws {
        let installation = try container.install(Text("text"))
        DependencyContainer().uninstall(installation)
        container.makeChild().uninstall(installation)
        #expect(texts == ["text"])
        container.uninstall(installation)
        #expect(texts.isEmpty)
    }

    @Test func tokenKeepsNeitherServicesNorContainerAlive() throws {
        let module = Module(registering: { [tracker] in $0.register(tracker.make(), for: Tracked.self) })
        var container: DependencyContainer? = DependencyContainer()
        let isAlive = { [weak container] in container != nil }
        let installation = try container?.install(module)
        container?.removeAll()
        expectGone(tracker)
        let other = try container?.install(module)
        #expect(tracker.live == 1)
        container = nil
        #expect(!isAlive())
        expectGone(tracker)
        for token in [installation, other].compactMap(\.self) { self.container.uninstall(token) }
    }

    @Test func nestedInstallIsPartOfTheOuterInstallation() throws {
        let inner = Locked<Installation?>(nil)
        let outer = try container.install(
            Module(registering: { container in
                container.register("outer", for: String.self)
                let installation = try container.install {
                    Text("inner")
                    Module(registering: { try $0.install(Text("innermost")) })
                }
                inner.withLock { $0 = installation }
                container.register("outer again", for: String.self)
            }))
        #expect(texts == ["outer", "inner", "innermost", "outer again"])
        if let inner = inner.current { container.uninstall(inner) }
        #expect(texts == ["outer", "outer again"])
        container.uninstall(outer)
        #expect(texts.isEmpty)
    }

    @Test func installationOmitsRegistrationsInOtherContainers() throws {
        let child = container.makeChild()
        let inParent = Locked<Installation?>(nil)
        let installation = try child.install(
            Module(registering: { [container] child in
                container.register("parent", for: String.self)
                let nested = try container.install(Text("nested"))
                inParent.withLock { $0 = nested }
                child.register("child", for: String.self)
            }))
        child.uninstall(installation)
        #expect(child.resolveAll(String.self) == ["nested", "parent"])
        if let nested = inParent.current { container.uninstall(nested) }
        #expect(texts == ["parent"])
    }

    @Test func installationIncludesRegistrationsThroughANestedInstallElsewhere() throws {
        let child = container.makeChild()
        let installation = try container.install(
            Module(registering: { container in
                try child.install(Module(registering: { _ in container.register("back", for: String.self) }))
            }))
        #expect(texts == ["back"])
        container.uninstall(installation)
        #expect(texts.isEmpty)
    }

    // MARK: - Failures

    @Test func throwingModuleLeavesNothing() throws {
        container.register("before", for: String.self)
        #expect(throws: Broken.self) {
            try container.install {
                Text("first")
                Module(registering: { container in
                    container.register("second", for: String.self)
                    try container.install(Text("nested"))
                    throw Broken()
                })
                Text("never")
            }
        }
        #expect(texts == ["before"])
        #expect(throws: Broken.self) {
            try container.install {
                Text("first")
                Module(finishing: { container in
                    container.register("did", for: String.self)
                    throw Broken()
                })
            }
        }
        #expect(texts == ["before"])
        #expect(throws: Broken.self) { try container.install { try failing() } }
    }

    private func failing() throws -> any DependencyModule { throw Broken() }

    @Test func failedNestedInstallIsUndone() throws {
        let installation = try container.install(
            Module(registering: { [tracker] container in
                container.register("outer", for: String.self)
                _ = try? container.install {
                    Text("inner")
                    Module(registering: { container in
                        container.register(tracker.make(), for: Tracked.self)
                        throw Broken()
                    })
                }
                expectGone(tracker)
            }))
        #expect(texts == ["outer"])
        container.uninstall(installation)
        #expect(texts.isEmpty)
    }

    @Test func failedInstallIsUndoneInASealedContainer() {
        #expect(throws: Broken.self) {
            try container.install(
                Module(registering: { container in
                    container.register("text", for: String.self)
                    container.seal()
                    throw Broken()
                }))
        }
        #expect(texts.isEmpty)
    }

    @Test func sealedAndShutDownContainersRefuseModules() throws {
        let sealed = DependencyContainer()
        sealed.seal()
        let line = #line - 1
        let installs: [() throws -> Void] = [
            { try sealed.install(Text("text")) }, { try sealed.install { [Text("first")] } },
            {
                try sealed.install {
                    Text("first")
                    Group()
                }
            },
        ]
        for install in installs {
            let error = #expect(throws: DependencyError.self, performing: install)
            #expect(error?.reason == .sealed)
            #expect(error?.service == Text.self)
            let message = try #require(error).description
            #expect(message.hasPrefix("Cannot install 'HopoateTests."))
            for part in [".Text': ", "sealed (at HopoateTests/ModuleTests.swift:\(line))"] {
                #expect(message.contains(part), "\(part) in \(message)")
            }
        }
        let parts = #expect(throws: DependencyError.self) { try sealed.install(Group()) }
        #expect(parts?.service == Group.self)
        let none = #expect(throws: DependencyError.self) { try sealed.install {} }
        #expect(none?.description.hasPrefix("Cannot install '[any Hopoate.DependencyModule]': ") == true)
        let ended = DependencyContainer()
        let token = ended.register("held", for: String.self)
        let installation = try ended.install(Text("text"))
        try ended.shutdownWithoutAwaitingHooks()
        let second = #expect(throws: DependencyError.self) { try ended.install(Text("text")) }
        #expect(second?.reason == .shutDown)
        #expect(second?.description.contains(".Text': the container is shutting down") == true)
        ended.uninstall(installation)
        withExtendedLifetime(token) {}
    }

    @Test func deinitOfAnUninstalledServiceMayResolve() throws {
        let seen = Locked<[Int]>([])
        // Registered outside the module. If a borrow of another test defers the release, the module's registrations are already
        // gone.
        container.register(1, for: Int.self)
        let installation = try container.install(
            Module(registering: { [container, tracker] _ in
                let tracked = tracker.make(atDeath: { [unowned container] in
                    seen.withLock { $0.append(container.resolve(Int.self)) }
                })
                container.register(tracked, for: Tracked.self)
            }))
        container.uninstall(installation)
        expectGone(tracker)
        #expect(seen.current == [1])
    }

    @Test func overwrittenRegistrationsDoNotComeBack() throws {
        container.register("before", for: String.self)
        let installation = try container.install {
            Text("replaced")
            Module(registering: { $0.register("new", for: String.self, replacing: true) })
        }
        #expect(texts == ["new"])
        container.uninstall(installation)
        #expect(texts.isEmpty)
    }

    /// The replaced instance is disposed of before the call that replaces it returns.
    @Test func uninstallRemovesWhatAHookRegistersDuringAReplacement() throws {
        container.register(String.self) { _ in
            "before"
        } onDispose: { [unowned container] _ in
            container.register("by the hook", for: String.self)
        }
        #expect(container.resolve(String.self) == "before")
        let installation = try container.install(
            Module(registering: { $0.register("new", for: String.self, replacing: true) }))
        #expect(texts == ["new", "by the hook"])
        container.uninstall(installation)
        #expect(texts.isEmpty)
    }

    @Test func registrationsThatAModuleRemovesOrReplacesAreReleasedAtOnce() throws {
        try container.install(
            Module(registering: { [tracker] container in
                container.remove(container.register(tracker.make(), for: Tracked.self))
                expectGone(tracker)
                container.register(tracker.make(), for: Tracked.self)
                container.register(tracker.make(), for: Tracked.self, replacing: true)
                container.removeAll()
            }))
        expectGone(tracker)
    }

    // MARK: - Threads

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    @Test func installationOmitsRegistrationsOfOtherThreadsAndTasks() async throws {
        let task = Locked<Task<Void, Never>?>(nil)
        let installation = try container.install(
            Module(registering: { container in
                let thread = RealThread { container.register("thread", for: String.self) }
                thread.join()
                // This task inherits the task-local bindings and outlives the install.
                let begun = Signal()
                let new = Task.detached { container.register("detached", for: String.self) }
                // On a thread of its own, because this thread blocks until it is done.
                let inheriting = Task(executorPreference: ThreadExecutor.shared) {
                    container.register("task", for: String.self)
                    begun.raise()
                    _ = await new.value
                    container.register("task", for: String.self)
                }
                task.withLock { $0 = inheriting }
                #expect(begun.wait())
                container.register("own", for: String.self)
            }))
        await task.current?.value
        #expect(texts.count == 5)
        container.uninstall(installation)
        #expect(texts.sorted() == ["detached", "task", "task", "thread"])
    }

    /// The factory of a shared service runs in the context of its owner, whichever caller comes first.
    @Test(arguments: [false, true], [false, true])
    func installationOmitsRegistrationsOfSharedFactories(isShared: Bool, isObserved: Bool) throws {
        if isObserved { container.instrument(with: Silent()) }
        container.register(Int.self, lifetime: isShared ? .singleton : .transient) { container in
            container.register("factory", for: String.self)
            return 1
        }
        let installation = try container.install(
            Module(registering: { container in
                container.register("module", for: String.self)
                #expect(container.resolve(Int.self) == 1)
            }))
        #expect(texts.count == 2)
        container.uninstall(installation)
        #expect(texts == (isShared ? ["factory"] : []))
    }

    @Test(arguments: threadCounts) func concurrentInstallsAreIndependent(threads: Int) {
        for _ in 0..<rounds(50) {
            runThreads(threads) { [container, tracker] index in
                let module = Module(registering: { container in
                    for _ in 0..<8 { container.register(tracker.make(index), for: Tracked.self) }
                    if index % 3 == 2 { throw Broken() }
                })
                let installation = try? container.install(module)
                check((installation == nil) == (index % 3 == 2))
                check(
                    container.resolveAll(Tracked.self).filter { $0.number == index }.count
                        == (installation == nil ? 0 : 8))
                if index % 2 == 0, let installation {
                    container.uninstall(installation)
                    check(!container.resolveAll(Tracked.self).contains { $0.number == index })
                }
            }
            container.removeAll()
        }
        expectGone(tracker)
    }

    @Test(arguments: threadCounts) func concurrentUninstallsTakeEffectOnce(threads: Int) throws {
        for _ in 0..<rounds(100) {
            container.register("before", for: String.self)
            let installation = try container.install {
                for index in 0..<8 { Text("\(index)") }
            }
            runThreads(threads) { [container] _ in container.uninstall(installation) }
            #expect(texts == ["before"])
            container.removeAll()
        }
    }
}

private enum NumberKey: DependencyKey {
    static var defaultValue: Int { 0 }
}

/// An instrument that does nothing.
private struct Silent: DependencyInstrument, DependencyObserver {
    func observer(of dependency: ObservedDependency) -> (any DependencyObserver)? { self }
    func didResolve() {}
    func create<Output>(_ creator: () throws -> Output) rethrows -> Output { try creator() }
    func create<Output>(
        isolation: isolated (any Actor)?, _ creator: () async throws -> Output
    ) async rethrows -> Output { try await creator() }
}
