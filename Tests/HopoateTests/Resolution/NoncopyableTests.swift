import Hopoate
import Testing

/// A service of which there is exactly one copy.
private struct Resource: ~Copyable {
    let tracked: Tracked
    var number: Int { tracked.number }
}
private struct Broken: Error, Equatable {}
private final class Plain: @unchecked Sendable { var number = 1 }

/// Services that cannot be copied.
@Suite(.mayBlock) struct NoncopyableTests {
    let container = DependencyContainer()
    let tracker = Tracker()

    private func resource(_ number: Int) -> Resource { Resource(tracked: tracker.make(number)) }

    @Test func instanceIsBorrowed() {
        container.register(noncopyable: resource(7), for: Resource.self)
        #expect(container.withService(Resource.self) { $0.number } == 7)
        #expect(container.withOptionalService(Resource.self) { resource in resource.number } == 7)
        #expect(container.canResolve(Resource.self))
    }

    @Test func missingInstanceIsNil() {
        #expect(container.withOptionalService(Resource.self) { $0.number } == nil)
        #expect(!container.canResolve(Resource.self))
    }

    @Test func newestInstanceWinsAndRemovalUncoversThePreviousOne() {
        container.register(noncopyable: resource(1), for: Resource.self)
        let second = container.register(noncopyable: resource(2), for: Resource.self)
        #expect(container.withService(Resource.self) { $0.number } == 2)
        container.remove(second)
        container.remove(second)
        #expect(container.withService(Resource.self) { $0.number } == 1)
    }

    @Test func deinitializerRunsWhenRegistrationAndTokenAreGone() {
        do {
            let registration = container.register(noncopyable: resource(1), for: Resource.self)
            container.remove(registration)
            #expect(tracker.live == 1)
        }
        expectGone(tracker)
        container.register(noncopyable: resource(2), for: Resource.self)
        container.removeAll()
        expectGone(tracker)
    }

    @Test func deinitializerRunsAtTheEndOfTheContainer() {
        var container: DependencyContainer? = DependencyContainer()
        container?.register(noncopyable: resource(1), for: Resource.self)
        #expect(tracker.live == 1)
        container = nil
        expectGone(tracker)
    }

    @Test func removedInstanceLivesToTheEndOfTheBorrow() {
        var registration: ServiceRegistration<Resource>? = container.register(
            noncopyable: resource(1), for: Resource.self)
        container.withService(Resource.self) { resource in
            if let registration { container.remove(registration) }
            registration = nil
            #expect(!container.canResolve(Resource.self))
            #expect(tracker.live == 1)
            #expect(resource.tracked.isIntact)
        }
        expectGone(tracker)
    }

    @Test func parentsInstanceIsBorrowedUnlessShadowed() {
        container.register(noncopyable: resource(1), for: Resource.self)
        let child = container.makeChild().makeChild()
        #expect(child.canResolve(Resource.self))
        #expect(child.withService(Resource.self) { $0.number } == 1)
        child.register(noncopyable: resource(2), for: Resource.self)
        #expect(child.withService(Resource.self) { $0.number } == 2)
        #expect(container.withService(Resource.self) { $0.number } == 1)
    }

    @Test func namesDistinguishInstances() {
        container.register(noncopyable: resource(1), for: Resource.self)
        container.register(noncopyable: resource(2), for: Resource.self, named: "two")
        container.register(noncopyable: resource(3), for: Resource.self, named: DependencyName("number \(3)"))
        #expect(container.withService(Resource.self) { $0.number } == 1)
        #expect(container.withService(Resource.self, named: "two") { $0.number } == 2)
        #expect(container.withService(Resource.self, named: DependencyName("number \(3)")) { $0.number } == 3)
        #expect(container.withOptionalService(Resource.self, named: "three") { $0.number } == nil)
        #expect(container.canResolve(Resource.self, named: "two"))
        #expect(!container.canResolve(Resource.self, named: "three"))
    }

    @Test func overwritingReplacesAll() {
        let first = container.register(noncopyable: resource(1), for: Resource.self)
        container.register(noncopyable: resource(2), for: Resource.self, replacing: true)
        #expect(container.withService(Resource.self) { $0.number } == 2)
        container.remove(first)
        #expect(container.withService(Resource.self) { $0.number } == 2)
    }

    @Test func errorsKeepTheirType() {
        container.register(noncopyable: resource(1), for: Resource.self)
        do throws(Broken) {
            try container.withService(Resource.self) { (_: borrowing Resource) throws(Broken) -> Void in throw Broken()
            }
            Issue.record("nothing was thrown")
        } catch {
            #expect(error == Broken())
        }
    }

    @Test func noncopyableOverloadsDoNotCaptureCopyableServices() {
        // These calls use the overloads for copyable services: the instance is evaluated once, and `resolve` finds it.
        container.register(Plain(), for: Plain.self)
        container.register(Plain(), for: Plain.self, named: "other")
        let token: ServiceRegistration<Plain> = container.register(Plain(), for: Plain.self, replacing: true)
        #expect(container.resolve(Plain.self) !== container.resolve(Plain.self, named: "other"))
        #expect(container.withService(Plain.self) { $0.number } == 1)
        #expect(container.withService(Plain.self, named: "other") { plain in plain.number } == 1)
        container.register(Int.self, lifetime: .transient) { _ in 3 }
        #expect(container.withService(Int.self) { $0 } == 3)
        container.remove(token)
        #expect(!container.canResolve(Plain.self))
    }

    @Test func genericCodeFindsInstancesAndNoServicesWithAFactory() {
        func isFound<Service: ~Copyable>(_ type: Service.Type) -> Bool {
            container.withOptionalService(type) { _ in true } ?? false
        }
        for lifetime in [Lifetime.singleton, .transient, .scoped] {
            container.register(Plain.self, lifetime: lifetime, replacing: true) { _ in Plain() }
            _ = container.resolve(Plain.self)
            #expect(!isFound(Plain.self))
        }
        container.register(noncopyable: Plain(), for: Plain.self)
        #expect(isFound(Plain.self))
    }

    @Test(arguments: threadCounts) func borrowsAreSafeDuringReplacements(threads: Int) {
        container.register(noncopyable: resource(0), for: Resource.self)
        runThreads(threads) { [container, tracker] index in
            for round in 0..<rounds(1_000) {
                if (round + index) % 8 == 0 {
                    container.register(
                        noncopyable: Resource(tracked: tracker.make(round)), for: Resource.self, replacing: true)
                } else {
                    check(container.withOptionalService(Resource.self) { $0.tracked.isIntact } == true)
                }
            }
        }
        container.removeAll()
        expectGone(tracker)
    }

    #if compiler(>=6.2)
        @Test func missingInstanceTrapsWithTypeAndCallSite() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                DependencyContainer().withService(Resource.self, named: "two") { _ in }
            }
            let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
            #expect(text.contains("Resource named \"two\"'"))
            #expect(text.contains("NoncopyableTests.swift"))
        }
    #endif
}
