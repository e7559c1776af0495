// Decides whether a history of lazily created services is correct: each instance is created once, found by the resolve
// calls that may find it and by no others, and disposed of once.
//
//   domain     the unit that has one instance: a registration (singleton), together with a container (scoped) or an argument
//              (keyed)
//   owner      the container that holds the instance: for a scoped service the container that resolved it, else the container
//              of the registration
//   release    a call that makes the owner drop the instance: a removal, an overwrite, `removeAll`, a shutdown
//
// The check has two parts. The *lookups* of a key are operations of a plain stack, in which a resolve call returns the
// registration of its instance. `check(_:)` for plain histories (Checker.swift) checks them; it detects a registration that is
// found after its removal returned. The *rules* below are about the instances. A rule claims a wrong order of two readings
// only if these are further apart than the clocks may disagree, so every flaw is real.
//
// A resolve call that overlaps a removal may have done its lookup before it. So it may return an instance of a registration
// that is removed when it returns, even an instance whose disposal has ended. A call that was invoked after the disposal began
// may not.

/// A broken rule in a history of instances.
public struct InstanceFlaw: Sendable, Hashable {
    /// A rule.
    public enum Rule: String, CaseIterable, Sendable {
        /// A domain has two instances.
        case createdTwice
        /// A resolve call returns an instance that no factory returned, or one of another key, container or argument.
        case foreignInstance
        /// A resolve call returns an instance before its factory returned.
        case answeredBeforeCreation
        /// A resolve call fails, although no factory threw that it may have run or waited for.
        case failedWithoutReason
        /// A resolve call reports a shutdown although none has begun.
        case endedWithoutReason
        /// A resolve call returns an instance although it was invoked after the owner's shutdown returned.
        case foundAfterShutdown
        /// A hook runs twice for one instance.
        case disposedTwice
        /// A hook runs for an instance that no factory returned, or whose registration has no hook.
        case disposedOfNothing
        /// A hook runs before the factory returned.
        case disposedBeforeCreation
        /// A hook runs neither in a call that releases the instance nor in the call that created it.
        case disposedOutsideOfRelease
        /// A resolve call returns an instance although it was invoked after the hook began.
        case foundAfterDisposal
        /// The owner has dropped an instance, and its hook has not run.
        case neverDisposed
        /// A shutdown disposes of an instance after one that was created earlier.
        case disposedOutOfOrder
        /// No sequential order on plain stacks explains the registrations that the resolve calls found.
        case lookup
    }

    /// The rule.
    public var rule: Rule
    /// The instance; `none` if the flaw concerns none.
    public var instance: Identifier
    /// The index of the call, if the flaw concerns one.
    public var call: Int?

    init(_ rule: Rule, instance: Identifier = .none, call: Int? = nil) {
        self.rule = rule
        self.instance = instance
        self.call = call
    }
}

private struct Domain: Hashable {
    var registration: Identifier
    var place: UInt8
}

private struct InstanceChecker {
    let history: InstanceHistory
    /// The creations that returned an instance, by instance.
    private(set) var creations: [Identifier: InstanceCreation] = [:]
    /// The call that created each instance.
    private(set) var creators: [Identifier: InstanceCall] = [:]
    private var disposals: [Identifier: [InstanceDisposal]] = [:]
    /// By container. Only one of several calls shuts the container down, and the others return at once. So this is one call
    /// that spans all candidates, from the first invocation to the last return.
    private let shutdowns: [UInt8: InstanceCall]
    private(set) var flaws: [InstanceFlaw] = []

    init(_ history: InstanceHistory) {
        self.history = history
        var shutdowns: [UInt8: InstanceCall] = [:]
        for (container, calls) in Dictionary(grouping: history.calls.filter { $0.kind == .shutDown }, by: \.container) {
            guard let first = calls.map(\.returned).min(), var whole = calls.min(by: { $0.invoked < $1.invoked }) else {
                continue
            }
            for call in calls where call.invoked <= first { whole.returned = max(whole.returned, call.returned) }
            shutdowns[container] = whole
        }
        self.shutdowns = shutdowns
    }

    /// Whether one reading was certainly taken before another one.
    private func precedes(_ earlier: UInt64, _ later: UInt64) -> Bool {
        later > earlier && later - earlier > 2 * history.warp
    }

    private func key(_ registration: Identifier) -> UInt8? { history.registrations[registration]?.key }

    /// The container that owns an instance.
    private func owner(_ creation: InstanceCreation) -> UInt8 {
        history.registrations[creation.registration]?.lifetime == .scoped ? creation.place : 0
    }

    /// Whether a call may make the owner of an instance drop it.
    private func mayRelease(_ call: InstanceCall, _ creation: InstanceCreation) -> Bool {
        let owner = owner(creation)
        switch call.kind {
        case .register, .resolve: return false
        case .shutDown: return call.container == owner
        case .remove: return owner == 0 && call.registration == creation.registration
        case .removeAll: return owner == 0
        case .overwrite:
            return owner == 0 && call.registration != creation.registration
                && key(call.registration) == key(creation.registration)
        }
    }

    /// Whether a call certainly makes the owner drop the instance.
    private func releases(_ call: InstanceCall, _ creation: InstanceCreation) -> Bool {
        guard mayRelease(call, creation) else { return false }
        if call.kind == .remove || call.kind == .shutDown { return true }
        return history.calls.contains {
            ($0.kind == .register || $0.kind == .overwrite) && $0.registration == creation.registration
                && precedes($0.returned, call.invoked)
        }
    }

    /// The call that ran a factory.
    private func creator(of creation: InstanceCreation) -> InstanceCall? {
        history.calls.filter {
            $0.kind == .resolve && $0.thread == creation.thread && $0.invoked <= creation.begun
                && creation.ended <= $0.returned
        }.max { $0.invoked < $1.invoked }
    }

    /// The place where a resolve call looks for an instance of a registration.
    private func place(of call: InstanceCall, _ registration: LazyRegistration) -> UInt8 {
        switch registration.lifetime {
        case .singleton: 0
        case .scoped: call.container
        case .keyed: call.argument
        }
    }

    /// Whether a call may have run a factory that threw, or waited for it. Callers may join until the call that ran the factory
    /// reports the failure to them.
    private func isReason(_ creation: InstanceCreation, for call: InstanceCall) -> Bool {
        guard creation.instance == .none, let registration = history.registrations[creation.registration],
            registration.key == call.key, place(of: call, registration) == creation.place
        else { return false }
        let told = creator(of: creation)?.returned ?? creation.ended
        return !precedes(told, call.invoked) && !precedes(call.returned, creation.begun)
    }

    mutating func checkCreations() {
        let answered = Set(history.calls.filter { $0.kind == .resolve }.map(\.instance))
        var domains = Set<Domain>()
        for creation in history.creations where creation.instance != .none {
            creations[creation.instance] = creation
            creators[creation.instance] = creator(of: creation)
            // If a shutdown overtakes a factory, it may be the domain's second factory, because the first instance is gone.
            // Its instance is returned to no caller.
            if !answered.contains(creation.instance), let end = shutdowns[owner(creation)],
                !precedes(creation.ended, end.invoked)
            {
                continue
            }
            if !domains.insert(Domain(registration: creation.registration, place: creation.place)).inserted {
                flaws.append(InstanceFlaw(.createdTwice, instance: creation.instance))
            }
        }
        for disposal in history.disposals { disposals[disposal.instance, default: []].append(disposal) }
    }

    mutating func checkAnswers() {
        for (index, call) in history.calls.enumerated() where call.kind == .resolve {
            switch call.answer {
            case .found:
                guard let creation = creations[call.instance],
                    let registration = history.registrations[creation.registration],
                    registration.key == call.key, place(of: call, registration) == creation.place
                else {
                    flaws.append(InstanceFlaw(.foreignInstance, instance: call.instance, call: index))
                    continue
                }
                if precedes(call.returned, creation.ended) {
                    flaws.append(InstanceFlaw(.answeredBeforeCreation, instance: call.instance, call: index))
                }
                if let end = shutdowns[owner(creation)], precedes(end.returned, call.invoked) {
                    flaws.append(InstanceFlaw(.foundAfterShutdown, instance: call.instance, call: index))
                }
                if disposals[call.instance]?.contains(where: { precedes($0.begun, call.invoked) }) ?? false {
                    flaws.append(InstanceFlaw(.foundAfterDisposal, instance: call.instance, call: index))
                }
            case .missing:
                break
            case .failed:
                if !history.creations.contains(where: { isReason($0, for: call) }) {
                    flaws.append(InstanceFlaw(.failedWithoutReason, call: index))
                }
            case .ended:
                let isReported = history.calls.contains {
                    $0.kind == .shutDown && ($0.container == 0 || $0.container == call.container)
                        && !precedes(call.returned, $0.invoked)
                }
                if !isReported { flaws.append(InstanceFlaw(.endedWithoutReason, call: index)) }
            }
        }
    }

    mutating func checkDisposals() {
        for (instance, runs) in disposals {
            guard let creation = creations[instance], history.registrations[creation.registration]?.hasHook ?? false
            else {
                flaws.append(InstanceFlaw(.disposedOfNothing, instance: instance))
                continue
            }
            if runs.count > 1 { flaws.append(InstanceFlaw(.disposedTwice, instance: instance)) }
            for run in runs {
                if precedes(run.begun, creation.ended) {
                    flaws.append(InstanceFlaw(.disposedBeforeCreation, instance: instance))
                }
                if !isReleased(run, creation) {
                    flaws.append(InstanceFlaw(.disposedOutsideOfRelease, instance: instance))
                }
            }
        }
        guard let quiet = history.quiet else { return }
        for creation in creations.values where history.registrations[creation.registration]?.hasHook ?? false {
            let isLeft = history.calls.contains { releases($0, creation) && $0.returned <= quiet }
            let runs = disposals[creation.instance] ?? []
            let inTime = isLeft ? runs.filter { $0.ended <= quiet } : runs
            if inTime.isEmpty { flaws.append(InstanceFlaw(.neverDisposed, instance: creation.instance)) }
        }
    }

    /// Whether a hook runs in a call that may release the instance or, if such a call was invoked before, in the call that
    /// created it.
    private func isReleased(_ run: InstanceDisposal, _ creation: InstanceCreation) -> Bool {
        let releases = history.calls.filter { mayRelease($0, creation) && !precedes(run.begun, $0.invoked) }
        func holds(_ call: InstanceCall) -> Bool {
            call.thread == run.thread && call.invoked <= run.begun && run.ended <= call.returned
        }
        if releases.contains(where: holds) { return true }
        guard !releases.isEmpty, let creator = creators[creation.instance] else { return false }
        return holds(creator)
    }

    mutating func checkOrder() {
        for call in history.calls where call.kind == .shutDown {
            let runs = history.disposals.filter {
                $0.thread == call.thread && call.invoked <= $0.begun && $0.ended <= call.returned
            }.sorted { $0.begun < $1.begun }
            for (index, run) in runs.enumerated() {
                // An instance that was complete before the factory of another one returned must be disposed of after that one.
                guard let complete = creators[run.instance]?.returned else { continue }
                let isEarly = runs[(index + 1)...].contains { later in
                    creations[later.instance].map { precedes(complete, $0.ended) } ?? false
                }
                if isEarly { flaws.append(InstanceFlaw(.disposedOutOfOrder, instance: run.instance)) }
            }
        }
    }

    mutating func checkLookups() -> Int {
        var overlapping = 0
        for key in Set(history.registrations.values.map(\.key)) {
            var indices: [Int] = []
            var operations: [Operation] = []
            var isShutDown = false
            for (index, call) in history.calls.enumerated() {
                guard var operation = lookup(call, in: key) else { continue }
                if call.kind == .shutDown {
                    if isShutDown { continue }
                    isShutDown = true
                }
                operation.invoked -= min(history.warp, operation.invoked)
                operation.returned += history.warp
                indices.append(index)
                operations.append(operation)
            }
            let verdict = check(History(keys: 0..<1, initial: [[]], operations: operations))
            overlapping += verdict.overlapping
            if let unexplained = verdict.unexplained {
                flaws.append(InstanceFlaw(.lookup, call: indices[unexplained]))
            }
        }
        return overlapping
    }

    /// The operation of a call on the plain stack of a key; nil if there is none, or if the registration that it found is unknown.
    private func lookup(_ call: InstanceCall, in key: UInt8) -> Operation? {
        func operation(_ kind: Operation.Kind, _ identifier: Identifier = .none) -> Operation {
            Operation(kind, thread: Int(call.thread), identifier, invoked: call.invoked, returned: call.returned)
        }
        switch call.kind {
        case .register: return self.key(call.registration) == key ? operation(.register, call.registration) : nil
        case .overwrite: return self.key(call.registration) == key ? operation(.overwrite, call.registration) : nil
        case .remove: return self.key(call.registration) == key ? operation(.remove, call.registration) : nil
        case .removeAll: return operation(.removeAll)
        case .shutDown:
            guard call.container == 0, let whole = shutdowns[0] else { return nil }
            return Operation(.removeAll, invoked: whole.invoked, returned: whole.returned)
        case .resolve:
            guard call.key == key else { return nil }
            switch call.answer {
            case .found: return creations[call.instance].map { operation(.resolve, $0.registration) }
            case .missing: return operation(.optionalResolve, .none)
            case .failed, .ended: return nil
            }
        }
    }
}

/// The result of checking a history of instances.
public struct InstanceVerdict: Sendable {
    /// The broken rules; empty if the history is correct.
    public var flaws: [InstanceFlaw]
    /// The number of calls that overlapped with another one on the same key.
    public var overlapping: Int
}

/// Checks a history of instances.
public func check(_ history: InstanceHistory) -> InstanceVerdict {
    var checker = InstanceChecker(history)
    checker.checkCreations()
    checker.checkAnswers()
    checker.checkDisposals()
    checker.checkOrder()
    let overlapping = checker.checkLookups()
    return InstanceVerdict(flaws: checker.flaws, overlapping: overlapping)
}
