import Hopoate

/// Runs a program in all orders, and compares the runs with each other and with validation.
struct Check {
    let program: Program
    private(set) var findings: [Finding] = []
    private(set) var tally = Tally()

    init(_ program: Program) {
        self.program = program
        let callers = program.hasAppCaller ? Caller.allCases : [.alice, .bob]
        var verdicts: [Caller: Verdict] = [:]
        for caller in callers {
            // Both requests have the same services, unless one has a service of its own.
            if caller == .bob, !program.registrations.contains(where: { $0.only != nil }) {
                verdicts[.bob] = verdicts[.alice]
            } else {
                verdicts[caller] = Verdict(program, caller)
            }
        }
        tally.programs = 1
        var answers: [Caller: (order: Order, results: [RootResult])] = [:]
        for order in orders {
            // Once more at the end of one of the runs, in some programs.
            let isValidatedAgain = program.schedule % 4 == 0 && order.callers == [.bob, .alice]
            let run = Run(program, order, verdict: isValidatedAgain ? verdicts[.bob] : nil)
            run.run()
            tally.runs += 1
            findings += run.findings
            for caller in order.callers where !run.isEndless {
                guard let results = run.results[caller] else { continue }
                if let verdict = verdicts[caller] { compare(results, of: caller, with: verdict, order) }
                if let first = answers[caller] {
                    compare(results, with: first.results, caller, first.order, order)
                } else {
                    answers[caller] = (order, results)
                }
            }
        }
    }

    private var orders: [Order] {
        var orders = [
            Order(callers: [.alice]), Order(callers: [.bob]), Order(callers: [.alice, .bob]),
            Order(callers: [.bob, .alice], isReversed: true),
        ]
        if program.hasAppCaller { orders += [Order(callers: [.app]), Order(callers: [.app, .bob, .alice])] }
        if program.suspends == [true, true] { orders.append(Order(callers: [.alice, .bob], isTogether: true)) }
        return orders
    }

    /// Whether a provider may find an instance that it could not create.
    private var mayBeFound: Bool { Exemption.found.applies && program.hasProviders && program.surroundings != .none }

    /// Whether a caller may find that only an asynchronous call could create a service. So it depends on who came first.
    private func mayHaveToSuspend(_ caller: Caller, _ order: Order) -> Bool {
        if Exemption.closures.applies, program.isHidden, order.isTogether { return true }
        guard program.isAsynchronous else { return false }
        let suspends = caller == .app ? program.suspends.contains(true) : program.suspends[caller.rawValue]
        return !suspends || program.isHidden
    }

    private mutating func note(_ kind: Finding.Kind, _ text: String, _ order: Order) {
        var finding = Finding(kind, text)
        finding.order = order
        findings.append(finding)
    }

    // MARK: - Validation and the run

    private mutating func compare(
        _ results: [RootResult], of caller: Caller, with verdict: Verdict, _ order: Order
    ) {
        for result in results {
            let expected = verdict.findings[result.root] ?? []
            let known = [result.first].compactMap(\.self) + result.later.prefix(result.known).map(\.outcome)
            tally.count(expected)
            if mayHaveToSuspend(caller, order), known.contains(where: \.mustSuspend) { continue }
            let subject = "\(caller): \(result.root.expression)"
            if !expected.isEmpty, known.allSatisfy({ !$0.isFailure }), !mayBeFound {
                note(.harmless, "\(subject) is resolved, but validation says: \(expected)", order)
            }
            // Validation does not know all dependencies.
            if program.isHidden { continue }
            for (index, outcome) in known.enumerated() {
                guard case .failure(let failure) = outcome else { continue }
                if expected.contains(where: { $0.explains(failure, isOfHandle: index > 0) }) { continue }
                let place = index > 0 ? ", through a handle" : ""
                note(
                    expected.isEmpty ? .passed : .reason,
                    "\(subject)\(place): \(failure); validation says: \(expected.isEmpty ? "fine" : "\(expected)")",
                    order)
            }
        }
    }

    // MARK: - Two orders

    private mutating func compare(
        _ results: [RootResult], with others: [RootResult], _ caller: Caller, _ first: Order, _ order: Order
    ) {
        // Such a service exists without its parts if `register` would trap for that reason.
        if Exemption.closures.applies, order.isTogether, program.hasRequestServiceCreatedByRegister { return }
        // As documented, a cycle with an asynchronous service works from one side at most.
        if program.hasCompletions, program.isAsynchronous || program.suspends.contains(true) { return }
        let others = Dictionary(uniqueKeysWithValues: others.map { ($0.root, $0) })
        for result in results {
            guard let other = others[result.root], let left = other.first, let right = result.first else { continue }
            compare(left, right, "\(caller): \(result.root.expression)", caller, first, order)
            let uses = Dictionary(other.later.map { ($0.handle, $0.outcome) }) { first, _ in first }
            for (handle, outcome) in result.later {
                guard let earlier = uses[handle] else { continue }
                let holder = program.registrations[handle.origin].key.expression
                // The chain begins with the service that the holder was made for.
                if earlier.isSameFailure(as: outcome) { continue }
                compare(
                    earlier, outcome,
                    "\(caller): \(result.root.expression), handle \(handle.position + 1) of \(holder)",
                    caller, first, order)
            }
        }
    }

    private mutating func compare(
        _ left: Outcome, _ right: Outcome, _ subject: String, _ caller: Caller, _ first: Order, _ order: Order
    ) {
        if left == right { return }
        if mayHaveToSuspend(caller, order), left.mustSuspend || right.mustSuspend { return }
        if mayBeFound, left.isCaptive != right.isCaptive { return }
        if Exemption.scoped.applies, left.isCaptive, left.isSameFailure(as: right) { return }
        // Of two callers at the same time, both get the error of the creation that one of them has begun, with its chain.
        if order.isTogether, left.isSameFailure(as: right) { return }
        let (before, after) =
            left.isFailure || right.isFailure ? ("\(left)", "\(right)") : ("an instance", "another one")
        note(.order, "\(subject): \(before) (\(first)), \(after)", order)
    }
}

extension Outcome {
    var isFailure: Bool { if case .failure = self { true } else { false } }

    var isCaptive: Bool { if case .failure(let failure) = self { failure.reason == .captive } else { false } }

    /// Whether both are errors with one reason and for one service, or cycles.
    func isSameFailure(as other: Outcome) -> Bool {
        guard case .failure(let left) = self, case .failure(let right) = other, left.reason == right.reason else {
            return false
        }
        if left.reason == .captive, Exemption.scoped.applies {
            return left.chain.contains(right.service) || right.chain.contains(left.service)
        }
        return left.reason == .circular || left.service == right.service
    }
}

/// What the checked programs were like.
struct Tally {
    var programs = 0
    var runs = 0
    /// Roots of callers in one order: those without a finding of validation, and those with one of each kind.
    var fine = 0
    var missing = 0
    var circular = 0
    var captive = 0

    /// The percentage of roots with a number of them.
    func share(_ count: Int) -> Int { count * 100 / max(1, fine + missing + circular + captive) }

    /// Whether the programs were such that the absence of findings says something.
    var provesSomething: Bool { programs < 1_000 || [fine, missing, circular, captive].allSatisfy { share($0) >= 2 } }

    mutating func count(_ findings: [Verdict.Found]) {
        if findings.isEmpty { fine += 1 }
        if findings.contains(where: { $0.kind == .missing }) { missing += 1 }
        if findings.contains(where: { $0.kind == .circular }) { circular += 1 }
        if findings.contains(where: { $0.kind == .captive }) { captive += 1 }
    }

    mutating func add(_ other: Tally) {
        programs += other.programs
        runs += other.runs
        fine += other.fine
        missing += other.missing
        circular += other.circular
        captive += other.captive
    }
}
