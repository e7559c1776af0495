import Hopoate

/// A fault that a factory has during a start.
enum StartFault: CaseIterable, Sendable {
    /// It throws.
    case failure
    /// The start is cancelled when it begins.
    case cancellation
    /// It suspends until the start has ended, which is cancelled meanwhile. Then it throws `CancellationError`.
    case hang
    /// The same, but then it creates its instance.
    case lateEnd

    /// Whether it can be done to a factory that does not suspend.
    var fitsSynchronousFactories: Bool { self == .failure || self == .cancellation }

    /// The fault in messages.
    var label: String {
        switch self {
        case .failure: "fails"
        case .cancellation: "begins when the start is cancelled"
        case .hang: "hangs and is cancelled"
        case .lateEnd: "hangs and ends after the start"
        }
    }
}

/// The error of a factory that has to fail.
struct InjectedError: Error, CustomStringConvertible {
    let description = "the error that the test has injected"
}

/// Observes one start, and does something to one of its factories.
///
/// Registrations are known by their number: the first one that the container gets has the number 0. The same closure has to register the
/// same services each time.
final class StartProbe: DependencyInstrument {
    /// One registration, and the history of its instances.
    struct Entry: Sendable {
        let dependency: ObservedDependency
        /// Whether the factory that ran suspends; nil if none ran since the start began.
        var isAsynchronous: Bool?
        var hasHooks = false
        var began = 0
        var opened = 0
        var closing = 0
        var closed = 0
        /// The numbers of the singletons whose creation has used this one.
        var users: Set<Int> = []
        /// Whether the container had the instance when the stop began. One that is created meanwhile is closed when it exists, and a stop
        /// waits for none.
        var existsAtStop = false

        /// Whether there is one instance, as long as the container lives.
        var isSingle: Bool { dependency.lifetime.isSingleton }
        /// Whether the container has it from the beginning.
        var isEager: Bool { dependency.lifetime.isEager }
        var hasOpen: Bool { opened > closing }
        var label: String { "'\(dependency)'" + (dependency.place.map { ", registered at \($0)" } ?? "") }
    }

    private struct Contents {
        var entries: [Entry] = []
        var isStarted = false
        /// The fault of the target; nil until it has begun.
        var reached: StartFault?
        var isTargetCancelled = false
        var running = 0
        var mistakes: [String] = []
        var cancelStart: (@Sendable () -> Void)?

        /// The number of the newest singleton with a name.
        func number(of name: String) -> Int? {
            entries.lastIndex { $0.isSingle && $0.dependency.description == name }
        }

        var isQuiet: Bool {
            running == 0 && entries.allSatisfy { !$0.hasHooks || $0.isEager || $0.closed >= $0.opened }
        }
    }

    private let target: (number: Int, fault: StartFault)?
    private let delays: @Sendable (Int) -> Int
    private let contents = Locked(Contents())
    /// Opened when a factory that hangs may go on.
    let release = Gate()
    /// Opened when all factories and hooks have ended, after `expectQuiet()`.
    let quiet = Gate()
    private let isEnding = Locked(false)

    /// - Parameters:
    ///   - target: The number of the registration to which something is done, and what; nil for none.
    ///   - delays: How often an asynchronous factory lets other tasks run before it begins, by its number.
    init(_ target: (number: Int, fault: StartFault)?, delays: @escaping @Sendable (Int) -> Int) {
        self.target = target
        self.delays = delays
    }

    func observer(of dependency: ObservedDependency) -> (any DependencyObserver)? {
        let number = contents.withLock { contents in
            contents.entries.append(Entry(dependency: dependency))
            return contents.entries.count - 1
        }
        return StartProbeObserver(probe: self, number: number)
    }

    /// Begins the start.
    func begin(cancel: @escaping @Sendable () -> Void) {
        contents.withLock { contents in
            contents.isStarted = true
            contents.cancelStart = cancel
        }
    }

    /// Opens `quiet` as soon as all has ended.
    func expectQuiet() {
        isEnding.withLock { $0 = true }
        checkQuiet()
    }

    private func checkQuiet() {
        guard isEnding.withLock({ $0 }), contents.withLock({ $0.isQuiet }) else { return }
        quiet.open()
    }

    /// Begins the stop of a container with these singletons.
    func beginStop(of singletons: [ServiceIdentity]) {
        contents.withLock { contents in
            for name in singletons.map(\.description) {
                guard let number = contents.number(of: name) else { continue }
                contents.entries[number].existsAtStop = true
            }
        }
    }

    var entries: [Entry] { contents.withLock { $0.entries } }

    /// The fault of the target; nil if the start has not come to it. A service may be created in its synchronous form, which cannot
    /// hang. Then the start is only cancelled.
    var reached: StartFault? { contents.withLock { $0.reached } }

    /// Whether the target hung and was cancelled. Then it went on before the start had ended.
    var isTargetCancelled: Bool { contents.withLock { $0.isTargetCancelled } }

    /// The mistakes in the order of disposals.
    var mistakes: [String] { contents.withLock { $0.mistakes } }

    // MARK: - For the observers

    fileprivate func note(_ number: Int, _ change: (inout Entry) -> Void) {
        contents.withLock { change(&$0.entries[number]) }
        checkQuiet()
    }

    /// Notes the begin of a factory.
    ///
    /// - Returns: What to do to it; nil for nothing.
    fileprivate func begin(_ number: Int, isAsynchronous: Bool) -> StartFault? {
        let (fault, cancel) = contents.withLock { contents -> (StartFault?, (@Sendable () -> Void)?) in
            contents.running += 1
            contents.entries[number].began += 1
            guard contents.isStarted else { return (nil, nil) }
            contents.entries[number].isAsynchronous = isAsynchronous
            guard let target, target.number == number, contents.reached == nil else { return (nil, nil) }
            let fault = isAsynchronous || target.fault.fitsSynchronousFactories ? target.fault : .cancellation
            contents.reached = fault
            return (fault, fault == .failure ? nil : contents.cancelStart)
        }
        cancel?()
        return fault
    }

    fileprivate func end(_ number: Int, isOpened: Bool) {
        contents.withLock { contents in
            contents.running -= 1
            if isOpened { contents.entries[number].opened += 1 }
        }
        checkQuiet()
    }

    fileprivate func noteUse(of number: Int) {
        let users = servicesInCreation()
        if users.isEmpty { return }
        contents.withLock { contents in
            for user in users {
                guard let index = contents.number(of: user.description), index != number else { continue }
                contents.entries[number].users.insert(index)
            }
        }
    }

    fileprivate func beginToClose(_ number: Int) {
        contents.withLock { contents in
            contents.entries[number].closing += 1
            let entry = contents.entries[number]
            guard entry.isSingle || entry.isEager else { return }
            for user in entry.users.sorted() {
                let isOpen = contents.entries[user].existsAtStop && contents.entries[user].hasOpen
                guard isOpen, contents.entries[user].hasHooks else { continue }
                contents.mistakes.append(
                    "\(entry.label), was closed before '\(contents.entries[user].dependency)', which uses it")
            }
        }
    }

    /// Lets the target, which hangs, wait until it is cancelled or the start has ended.
    fileprivate func hang() async {
        await withTaskCancellationHandler {
            await release.wait()
        } onCancel: {
            contents.withLock { $0.isTargetCancelled = true }
            release.open()
        }
    }

    fileprivate func delay(_ number: Int) async {
        for _ in 0..<delays(number) { await Task.yield() }
    }
}

/// Observes one registration for a probe.
private struct StartProbeObserver: DisposalObserver {
    let probe: StartProbe
    let number: Int

    func didResolve() { probe.noteUse(of: number) }

    func create<Output>(_ factory: () throws -> Output) throws -> Output {
        var isOpened = false
        defer { probe.end(number, isOpened: isOpened) }
        if probe.begin(number, isAsynchronous: false) == .failure { throw InjectedError() }
        let output = try factory()
        isOpened = true
        return output
    }

    func create<Output>(
        isolation: isolated (any Actor)?, _ factory: () async throws -> Output
    ) async throws -> Output {
        var isOpened = false
        defer { probe.end(number, isOpened: isOpened) }
        switch probe.begin(number, isAsynchronous: true) {
        case .failure: throw InjectedError()
        case .hang:
            await probe.hang()
            throw CancellationError()
        case .lateEnd: await probe.hang()
        case .cancellation, nil: await probe.delay(number)
        }
        let output = try await factory()
        isOpened = true
        return output
    }

    func willHaveHooks() { probe.note(number) { $0.hasHooks = true } }

    func willDispose() { probe.beginToClose(number) }

    func didDispose() { probe.note(number) { $0.closed += 1 } }
}
