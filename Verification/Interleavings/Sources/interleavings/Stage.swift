import CScheduler
import Hopoate

typealias Outcome = Result<Service, DependencyError>

/// The state that the strands of one schedule share. A scene sets it up, and adds the conditions at the end.
// Unchecked, because of the variables. Sound, because only the strand that has the baton runs.
final class Stage: @unchecked Sendable {
    // Set to nil after the check of a scene, because factories may refer to the stage.
    var container: DependencyContainer! = DependencyContainer()
    /// The results of callers. They are dropped when the scene is checked.
    var outcomes: [Outcome?] = [nil, nil, nil]
    /// Tokens of registrations, which keep the registrations alive.
    var tokens: [ServiceRegistration<Service>] = []
    var tasks: [Task<Void, Never>] = []
    /// A counter for the scene.
    var calls = 0
    var isMarked = false
    /// The number of the service that each instance got in its completion.
    var partners: [Int: Int] = [:]
    var kept: [any Sendable] = []
    /// Whether a strand ends without unwinding its stack, so that its references leak.
    var mayLeak = false

    private var runningTasks = 0
    private var checks: [() -> Void] = []

    /// Adds a thread.
    func thread(_ body: @escaping () -> Void) {
        addThread(body)
    }

    /// Adds a task.
    func task(_ body: @escaping @Sendable () async -> Void) {
        runningTasks += 1
        tasks.append(
            Task.detached {
                await body()
                self.runningTasks -= 1
            })
    }

    /// Cancels a task. No other strand runs meanwhile, because the runtime holds a lock while it runs cancellation handlers.
    func cancel(_ index: Int) {
        schedule_hold()
        tasks[index].cancel()
        schedule_let_go()
        pause()
    }

    /// Adds a check for the time when all strands have ended.
    func afterwards(_ check: @escaping () -> Void) { checks.append(check) }

    func check() {
        expect(runningTasks == 0, "a task is suspended, and nobody is left to resume it")
        for check in checks { check() }
        checks = []
        tasks = []
        outcomes = []
        tokens = []
        kept = []
        container = nil
    }
}

/// Adds a strand that is a thread.
private func addThread(_ body: @escaping () -> Void) {
    let context = Unmanaged.passRetained(Body(body))
    schedule_add_thread({ Unmanaged<Body>.fromOpaque($0).takeRetainedValue().run() }, context.toOpaque())
}

private final class Body {
    let run: () -> Void

    init(_ run: @escaping () -> Void) {
        self.run = run
    }
}

/// Suspends the task; a thread of its own resumes it. (`Task.yield` has an executor of the runtime that cannot be hooked.)
func suspend() async {
    await withUnsafeContinuation { continuation in addThread { continuation.resume() } }
}

// MARK: Steps of scenes

extension Stage {
    /// Registers a service. Its factory has a schedule point before and after the creation.
    @discardableResult
    func register(
        _ lifetime: Lifetime = .singleton, owned: Bool = true, origin: Int = 0, in container: DependencyContainer? = nil
    ) -> ServiceRegistration<Service> {
        (container ?? self.container).register(
            Service.self, lifetime: lifetime,
            factory: { _ in
                pause()
                let service = Service(owned: owned, origin: origin)
                pause()
                return service
            }, onDispose: owned ? { @Sendable in Self.dispose($0) } : nil)
    }

    /// Registers a service with an instance per value, which is its origin.
    @discardableResult
    func registerKeyed(_ lifetime: Lifetime) -> ServiceRegistration<Service> {
        container.register(
            Service.self, lifetime: lifetime,
            factory: { (_: DependencyContainer, key: Int) in
                pause()
                return Service(owned: true, origin: key)
            }, onDispose: { Self.dispose($0) })
    }

    /// Registers a service whose factory is asynchronous.
    @discardableResult
    func registerSuspending(suspends: Bool = true) -> ServiceRegistration<Service> {
        container.register(
            Service.self,
            factory: { _ async in
                if suspends { await suspend() } else { pause() }
                return Service(owned: true)
            }, onDispose: { Self.dispose($0) })
    }

    static func dispose<Tag>(_ service: Instance<Tag>) {
        pause()
        Ledger.dispose(service.number)
    }

    func ask(_ asked: DependencyContainer? = nil) -> Outcome {
        do throws(DependencyError) {
            return .success(try (asked ?? container).require(Service.self))
        } catch {
            return .failure(error)
        }
    }

    func askSuspending(_ asked: DependencyContainer? = nil) async -> Outcome {
        do throws(DependencyError) {
            return .success(try await (asked ?? container).asyncResolve(Service.self))
        } catch {
            return .failure(error)
        }
    }

    func askKeyed(_ key: Int) -> Outcome {
        do throws(DependencyError) {
            return .success(try container.require(Service.self, arguments: key))
        } catch {
            return .failure(error)
        }
    }

    func askKeyedSuspending(_ key: Int) async -> Outcome {
        do throws(DependencyError) {
            return .success(try await container.asyncResolve(Service.self, arguments: key))
        } catch {
            return .failure(error)
        }
    }

    // MARK: Conditions

    /// The instance of an outcome. The outcome must be an instance or an error with one of these reasons.
    @discardableResult
    func service(_ index: Int, or reasons: DependencyError.Reason...) -> Service? {
        switch outcomes[index] {
        case .success(let service): return service
        case .failure(let error):
            expect(reasons.contains(error.reason), "a caller got an error: \(error)")
            return nil
        case nil: schedule_finding("a caller got nothing")
        }
    }

    /// Checks that two callers got the same instance.
    func expectSame(_ left: Int, _ right: Int) {
        guard let left = service(left), let right = service(right) else { return }
        expect(left === right, "two callers got two instances of one shared service")
    }

    /// Drops the callers' results, and checks that no instance is left while the container goes on.
    func expectLetGo(origin: Int? = nil) {
        outcomes = [nil, nil, nil]
        tokens = []
        Ledger.expectLetGo(Ledger.owned(origin: origin))
    }
}
