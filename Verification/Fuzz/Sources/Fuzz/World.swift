import CRegistry
import Hopoate

/// A container and its reference.
struct Pair {
    let real: DependencyContainer
    let reference: ReferenceContainer
}

/// Runs programs on the library and on the reference, and compares them at each step.
///
/// A step changes the reference just before it calls the library. If a factory runs first, the factory's last action changes
/// the reference. So user code that the library calls afterwards, above all deinitializers, finds both in the same state.
final class World {
    /// A token with its registration in the reference.
    private struct Token {
        let real: AnyObject
        let reference: ReferenceRegistration
        let container: ReferenceContainer
    }

    /// The live instances.
    var live: Set<Int> = []

    private let process = Pair(real: .shared, reference: ReferenceContainer(parent: nil))
    private var slots = [Pair?](repeating: nil, count: Decoder.slots)
    private var tokens: [Token] = []
    private var kept: [Tracked] = []
    private var wrappers = [(real: any Wrapper, reference: ReferenceWrapper)?](repeating: nil, count: Decoder.wrappers)
    private var cargo: [Int: ReferenceContainer] = [:]
    private var containers: [(real: () -> DependencyContainer?, reference: ReferenceContainer)] = []
    private var usedKinds: Set<Int> = []
    private var lastNumber = 0

    /// The largest depth of programs that call each other, and the number of steps that are left.
    private let deepest = 7
    private var fuel = 600
    /// The number of running pieces of user code during which the library may hold services that it has found or removed.
    private var pins = 0

    /// The running closures that borrow a registered instance, by number, with its registration.
    private var borrows: [Int: ReferenceRegistration] = [:]
    /// The instances that were removed during these closures. Each lives until the last closure that borrows it ends.
    private var spared: [(instance: Int, borrows: Set<Int>)] = []
    /// The number of running factories of uncached services. The library borrows them.
    private var creations = 0

    private let mainStrand: Strand
    /// The thread that runs. The others wait.
    private var strand: Strand
    private let guests = (0..<Decoder.guests).map { _ in Strand() }

    init() {
        mainStrand = Strand()
        strand = mainStrand
    }

    // MARK: Running

    /// Runs a whole program, and drops everything at the end.
    func run(_ program: [Operation]) {
        // Most programs need some containers: a root, its child, and a child of the default container.
        slots[0] = process
        perform([.makeContainer(slot: 1), .makeChild(.slot(1), slot: 2), .makeChild(.slot(0), slot: 3)])
        perform(program)
        leaveAll()
        verify()
        for case let pair? in slots {
            for kind in usedKinds { compare(pair, kind) }
        }
    }

    /// Drops everything, first with the programs of the deinitializers, then without them.
    func end() {
        drop()
        leaveAll()
        silently { drop() }
        verify()
        expect(live.isEmpty, "instances are alive that nobody holds: \(live.sorted())")
    }

    private func drop() {
        for slot in wrappers.indices { drop(\.wrappers, slot) }
        while !kept.isEmpty { _ = kept.removeLast() }
        for slot in slots.indices.dropFirst() { drop(\.slots, slot) }
        removeAll(from: process)
        while !tokens.isEmpty { _ = tokens.removeLast() }
    }

    private func perform(_ program: [Operation]) {
        let strand = strand
        guard strand.depth < deepest else { return }
        strand.depth += 1
        for operation in program where fuel > 0 {
            fuel -= 1
            strand.path.append(.operation(operation))
            perform(operation)
            verify()
            strand.path.removeLast()
        }
        strand.depth -= 1
    }

    /// Runs a program in user code that the library calls, during which the library may hold services.
    private func perform(_ program: [Operation], as note: StaticString, of number: Int) {
        let strand = strand
        pins += 1
        strand.path.append(.note(note, number))
        perform(program)
        strand.path.removeLast()
        pins -= 1
    }

    /// Runs a closure during which factories and deinitializers run no programs.
    private func silently(_ body: () -> Void) {
        let saved = fuel
        fuel = 0
        body()
        fuel = saved
    }

    /// The running steps, outermost first.
    var path: [String] { strand.path.map(\.description) }

    private func perform(_ operation: Operation) {
        switch operation {
        case .register(let place, let kind, let form, let plan, let keepsToken):
            with(place) { register(in: $0, kind, form, plan, keepsToken: keepsToken) }
        case .registerKept(let place, let kind, let index): with(place) { registerKept(in: $0, kind, index) }
        case .registerMany(let place, let first, let count):
            with(place) { pair in
                for kind in first..<first + count {
                    let form = Form(source: .cached, overwrites: false)
                    register(in: pair, kind % allKinds.count, form, Plan(), keepsToken: true)
                }
            }
        case .removeMany(let place, let count):
            with(place) { pair in
                for _ in 0..<count {
                    guard let index = tokens.lastIndex(where: { $0.container === pair.reference }) else { return }
                    remove(index, from: pair, dropsToken: true)
                }
            }
        case .remove(let place?, let index, let dropsToken):
            with(place) { if !tokens.isEmpty { remove(index % tokens.count, from: $0, dropsToken: dropsToken) } }
        case .remove(nil, let index, let dropsToken):
            guard !tokens.isEmpty else { return }
            let index = index % tokens.count
            let home = slots.firstIndex { $0?.reference === tokens[index].container }
            if let home { with(.slot(home)) { remove(index, from: $0, dropsToken: dropsToken) } }
        case .removeAll(let place): with(place, removeAll)
        case .resolve(let place, let kind, let keeps):
            resolve(place, kind, keeps: keeps) { container, isFound in
                isFound ? allKinds[kind].resolve(in: container) : nil
            }
        case .optionalResolve(let place, let kind, let keeps):
            resolve(place, kind, keeps: keeps) { container, _ in allKinds[kind].optionalResolve(in: container) }
        case .canResolve(let place, let kind): with(place) { compareCanResolve($0, kind) }
        case .resolveAll(let place, let kind, let keeps):
            with(place) { pair in
                let found = resolveAll(in: pair, kind)
                if keeps { kept += found }
            }
        case .borrow(let place, let kind, let optional, let throwing, let body):
            borrow(place, kind, optional: optional, throws: throwing) {
                perform(body, as: "the closure that borrows", of: $0)
            }
        case .bind(let place, let throwing, let body): with(place) { bind($0, throws: throwing, body) }
        case .makeContainer(let slot): store(pair(DependencyContainer(), parent: nil), in: slot)
        case .makeChild(let parent, let slot):
            with(parent) { store(pair($0.real.makeChild(), parent: $0.reference), in: slot) }
        case .dropContainer(let slot): store(nil, in: slot)
        case .dropToken(let index): if !tokens.isEmpty { _ = tokens.remove(at: index % tokens.count) }
        case .dropKept(let index): if !kept.isEmpty { _ = kept.remove(at: index % kept.count) }
        case .makeWrapper(let slot, let place, let kind, let optional):
            with(place) { makeWrapper(slot, place, $0, kind, optional: optional) }
        case .readWrapper(let slot, let keeps): readWrapper(slot, keeps: keeps)
        case .assignWrapper(let slot, let index, let plan): assignWrapper(slot, index, plan)
        case .clearWrapper(let slot):
            guard let wrapper = wrappers[slot], wrapper.reference.optional else { return }
            wrapper.reference.memo = .some(nil)
            wrapper.real.assign(nil)
        case .dropWrapper(let slot): drop(\.wrappers, slot)
        case .guestEnters(let guest, let place, let kind, let before, let after):
            enter(guest, place, kind, before: before, after: after)
        case .guestLeaves(let guest): leave(guest)
        }
    }

    // MARK: Containers

    private func pair(_ real: DependencyContainer, parent: ReferenceContainer?) -> Pair {
        let pair = Pair(real: real, reference: ReferenceContainer(parent: parent))
        containers.append(({ [weak real] in real }, pair.reference))
        return pair
    }

    /// Puts a container into a slot. The first slot is always the default container's.
    private func store(_ pair: Pair?, in slot: Int) {
        guard slot != 0 else { return }
        drop(\.slots, slot)
        // A program that ran meanwhile may have stored another container there.
        drop(\.slots, slot, replacement: pair)
    }

    /// Empties an element of a list. The access to the list ends before a deinitializer runs, because that may call this again.
    private func drop<Element>(
        _ list: ReferenceWritableKeyPath<World, [Element?]>, _ index: Int, replacement: Element? = nil
    ) {
        let dropped = self[keyPath: list][index]
        self[keyPath: list][index] = replacement
        withExtendedLifetime(dropped) {}
    }

    private func with(_ place: Place, _ body: (Pair) -> Void) {
        let pair: Pair
        switch place {
        case .slot(let index):
            guard let found = slots[index] else { return }
            pair = found
        case .shared:
            pair = strand.bindings.last ?? process
            expect(DependencyContainer.shared === pair.real, "`shared` is not the container that is bound")
        }
        let strand = strand
        strand.inUse.append(pair.reference)
        withExtendedLifetime(pair.real) { body(pair) }
        strand.inUse.removeLast()
    }

    private func bind(_ pair: Pair, throws throwing: Bool, _ body: [Operation]) {
        let strand = strand
        let mark = number()
        strand.bindings.append(pair)
        do {
            let output = try DependencyContainer.$shared.withValue(pair.real) {
                perform(body)
                if throwing { throw Interruption(number: mark) }
                return mark
            }
            expect(!throwing && output == mark, "withValue returned something else")
        } catch {
            expect(throwing && (error as? Interruption)?.number == mark, "withValue threw something else")
        }
        strand.bindings.removeLast()
    }

    // MARK: Making instances

    private func number() -> Int {
        lastNumber += 1
        return lastNumber
    }

    /// Makes an instance. It keeps a container alive unless that would make a reference cycle with its registration's container.
    private func make(_ plan: Plan, for target: ReferenceContainer?) -> Tracked {
        let number = number()
        var container: DependencyContainer?
        if let slot = plan.cargo, let pair = slots[slot], !reaches(pair.reference, target) {
            cargo[number] = pair.reference
            container = pair.real
        }
        return Tracked(number: number, will: fuel > 0 ? plan.will : [], cargo: container)
    }

    private func reaches(_ container: ReferenceContainer, _ target: ReferenceContainer?) -> Bool {
        guard let target else { return false }
        var reachability = Reachability(cargo: cargo)
        reachability.visit(container)
        return reachability.containers.contains(ObjectIdentifier(target))
    }

    /// The factory of an uncached service.
    private func create(_ registration: ReferenceRegistration, _ plan: Plan) -> Tracked {
        let strand = strand
        guard let call = strand.calls.last, call.awaits(registration) else {
            fail("a creator is called that it is not the turn of")
        }
        strand.calls.append(ExpectedCall())
        creations += 1
        perform(plan.creation, as: "the creator of type", of: registration.kind)
        creations -= 1
        expect(registration.creator.map(live.contains) ?? true, "a creator was released while it runs")
        strand.calls.removeLast()
        let made = make(plan, for: nil)
        call.made(made.number)
        return made
    }

    /// The deinitializer of an instance.
    func died(_ number: Int, will: [Operation]) {
        live.remove(number)
        if !will.isEmpty { perform(will, as: "the deinit of instance", of: number) }
    }

    // MARK: Registering

    private func register(in pair: Pair, _ kind: Int, _ form: Form, _ plan: Plan, keepsToken: Bool) {
        if form.source == .uncached {
            let registration = ReferenceRegistration(kind: kind)
            let creator = Tracked(number: number())
            registration.creator = creator.number
            enter(registration, in: pair, form)
            let token = allKinds[kind].register(form, in: pair.real) {
                withExtendedLifetime(creator) { world.create(registration, plan) }
            }
            finish(token, registration, in: pair, keepsToken: keepsToken)
        } else {
            register(in: pair, kind, form, keepsToken: keepsToken) {
                perform(plan.creation)
                return make(plan, for: pair.reference)
            }
        }
    }

    private func register(
        in pair: Pair, _ kind: Int, _ form: Form, keepsToken: Bool, creator: () -> Tracked
    ) {
        let registration = ReferenceRegistration(kind: kind)
        let token = withoutActuallyEscaping(creator) { creator in
            allKinds[kind].register(form, in: pair.real) {
                expect(registration.instance == nil, "the creator of a cached service is called twice")
                let strand = self.strand
                strand.creations += 1
                let made = creator()
                strand.creations -= 1
                registration.instance = made.number
                self.enter(registration, in: pair, form)
                return made
            }
        }
        expect(registration.instance != nil, "the creator of a cached service was not called")
        finish(token, registration, in: pair, keepsToken: keepsToken)
    }

    private func enter(_ registration: ReferenceRegistration, in pair: Pair, _ form: Form) {
        if form.overwrites {
            spare(pair.reference.own(registration.kind))
            pair.reference.overwrite(registration.kind, by: registration)
        } else {
            pair.reference.entries.append((registration.kind, registration))
        }
    }

    private func finish(
        _ token: AnyObject, _ registration: ReferenceRegistration, in pair: Pair, keepsToken: Bool
    ) {
        if keepsToken { tokens.append(Token(real: token, reference: registration, container: pair.reference)) }
        usedKinds.insert(registration.kind)
        compare(pair, registration.kind)
    }

    private func registerKept(in pair: Pair, _ kind: Int, _ index: Int) {
        guard !kept.isEmpty else { return }
        let tracked = kept[index % kept.count]
        if let carried = cargo[tracked.number], reaches(carried, pair.reference) { return }
        register(in: pair, kind, Form(source: .instance, overwrites: false), keepsToken: true) { tracked }
    }

    private func remove(_ index: Int, from pair: Pair, dropsToken: Bool) {
        let token = tokens[index]
        spare(pair.reference.own(token.reference.kind).filter { $0 === token.reference })
        pair.reference.remove(token.reference)
        allKinds[token.reference.kind].remove(token.real, from: pair.real)
        compare(pair, token.reference.kind)
        // A program that ran meanwhile may have changed the list.
        guard dropsToken, let index = tokens.firstIndex(where: { $0.real === token.real }) else { return }
        tokens.remove(at: index)
    }

    private func removeAll(from pair: Pair) {
        spare(pair.reference.entries.map(\.registration))
        pair.reference.entries = []
        pair.real.removeAll()
    }

    /// Records registrations that are about to be removed. Running closures that borrow one keep its instance alive.
    private func spare(_ removed: [ReferenceRegistration]) {
        for registration in removed {
            guard let instance = registration.instance else { continue }
            let borrowing = Set(borrows.filter { $0.value === registration }.keys)
            if !borrowing.isEmpty { spared.append((instance, borrowing)) }
        }
    }

    // MARK: Resolving

    private func calling<Output>(_ call: ExpectedCall, _ body: () -> Output) -> Output {
        let strand = strand
        strand.calls.append(call)
        defer {
            strand.calls.removeLast()
            expect(call.isOver, "a creator was not called")
        }
        return body()
    }

    private func compare(_ found: [Tracked], _ call: ExpectedCall) {
        let numbers = found.map(\.number)
        expect(numbers == call.instances, "found \(numbers) instead of \(call.instances)")
    }

    private func resolve(
        _ place: Place, _ kind: Int, keeps: Bool, _ find: (DependencyContainer?, _ isFound: Bool) -> Tracked?
    ) {
        with(place) { pair in
            let call = ExpectedCall(newest: kind, in: pair.reference)
            let found = calling(call) { find(place.isShared ? nil : pair.real, !call.instances.isEmpty) }
            compare(found.map { [$0] } ?? [], call)
            if keeps, let found { kept.append(found) }
        }
    }

    private func resolveAll(in pair: Pair, _ kind: Int) -> [Tracked] {
        let call = ExpectedCall(all: kind, in: pair.reference)
        let found = calling(call) { allKinds[kind].resolveAll(in: pair.real) }
        compare(found, call)
        return found
    }

    private func compareCanResolve(_ pair: Pair, _ kind: Int) {
        let expected = pair.reference.newest(kind) != nil
        let actual = calling(ExpectedCall()) { allKinds[kind].canResolve(in: pair.real) }
        expect(actual == expected, "canResolve is \(actual) for \(allKinds[kind].name)")
    }

    /// Compares the results of all queries about a type, without changing anything.
    private func compare(_ pair: Pair, _ kind: Int) {
        silently {
            compareCanResolve(pair, kind)
            _ = resolveAll(in: pair, kind)
            let call = ExpectedCall(newest: kind, in: pair.reference)
            let found = calling(call) { allKinds[kind].optionalResolve(in: pair.real) }
            compare(found.map { [$0] } ?? [], call)
        }
    }

    private func borrow(_ place: Place, _ kind: Int, optional: Bool, throws throwing: Bool, _ body: (Int) -> Void) {
        with(place) { pair in
            let strand = strand
            let call = ExpectedCall(newest: kind, in: pair.reference)
            if call.instances.isEmpty, !optional { return }
            let output = number() * 2
            var entered = false
            strand.calls.append(call)
            do throws(Interruption) {
                let returned = try allKinds[kind].borrow(in: place.isShared ? nil : pair.real, optional: optional) {
                    number throws(Interruption) in
                    entered = true
                    expect([number] == call.instances && call.isOver, "\(number) is borrowed, not \(call.instances)")
                    borrows[output] = call.borrowed
                    body(number)
                    verifySpared()
                    borrows[output] = nil
                    expect(live.contains(number), "\(number) was released while it was borrowed")
                    if throwing { throw Interruption(number: output) }
                    return number.isMultiple(of: 2) ? output : nil
                }
                expect((returned != nil) == entered, "a closure's output is lost or invented")
                if let returned { expect(returned == nil || returned == output, "another output") }
                expect(!(throwing && entered), "an error was lost")
            } catch {
                expect(throwing && error.number == output, "withService threw something else")
            }
            strand.calls.removeLast()
            expect(entered == !call.instances.isEmpty, "the closure was not called or was called without a service")
        }
    }

    // MARK: Property wrappers

    private func makeWrapper(_ slot: Int, _ place: Place, _ pair: Pair, _ kind: Int, optional: Bool) {
        // A wrapper in a cached service does not keep its container alive. Verification/Facade tests those.
        guard strand.creations == 0 else { return }
        let real = allKinds[kind].wrapper(in: place.isShared ? nil : pair.real, optional: optional)
        let reference = ReferenceWrapper(kind: kind, container: pair.reference, optional: optional)
        drop(\.wrappers, slot, replacement: (real, reference))
    }

    private func readWrapper(_ slot: Int, keeps: Bool) {
        guard let (real, reference) = wrappers[slot] else { return }
        var call = ExpectedCall()
        if reference.memo == nil {
            call = ExpectedCall(newest: reference.kind, in: reference.container)
            if call.instances.isEmpty, !reference.optional { return }
        }
        let found = calling(call) { real.read() }
        // The program of the factory may have filled it already.
        if reference.memo == nil, let first = call.instances.first { reference.memo = first }
        let expected = reference.memo ?? nil
        expect(found?.number == expected, "a wrapper gives \(found?.number ?? 0) instead of \(expected ?? 0)")
        if keeps, let found { kept.append(found) }
    }

    private func assignWrapper(_ slot: Int, _ index: Int?, _ plan: Plan) {
        perform(plan.creation)
        guard let (real, reference) = wrappers[slot] else { return }
        let tracked: Tracked
        if let index, !kept.isEmpty {
            tracked = kept[index % kept.count]
        } else {
            tracked = make(plan, for: nil)
        }
        reference.memo = tracked.number
        real.assign(tracked)
    }

    // MARK: Other threads

    private func enter(_ index: Int, _ place: Place, _ kind: Int, before: [Operation], after: [Operation]) {
        let guest = guests[index]
        guard guest.state == .idle else { return }
        guest.state = .running
        switchTo(guest) {
            threads[index].start {
                self.borrow(place, kind, optional: true, throws: false) { number in
                    self.perform(before, as: "the other thread, which borrows", of: number)
                    self.pins += 1
                    guest.state = .stopped
                    threads[index].stop()
                    guest.state = .running
                    self.pins -= 1
                    self.perform(after, as: "the other thread, which borrowed", of: number)
                }
                guest.state = .idle
            }
        }
    }

    private func leave(_ index: Int) {
        guard guests[index].state == .stopped else { return }
        switchTo(guests[index]) { threads[index].resume() }
    }

    /// Resumes the other threads until none is stopped. One that goes on may make another one enter.
    private func leaveAll() {
        while let index = guests.firstIndex(where: { $0.state == .stopped }) { leave(index) }
    }

    private func switchTo(_ other: Strand, _ body: () -> Void) {
        let strand = strand
        self.strand = other
        body()
        self.strand = strand
    }

    // MARK: Lifetimes

    /// Checks that instances that were removed during a borrow are alive, even without another reference.
    private func verifySpared() {
        spared.removeAll { $0.borrows.isDisjoint(with: borrows.keys) }
        let lost = spared.map(\.instance).filter { !live.contains($0) }
        expect(lost.isEmpty, "released though a closure still borrows: \(lost)")
    }

    /// Compares the live objects. If the library may hold services, there may be more of them than expected, but never fewer.
    private func verify() {
        var expected = Reachability(cargo: cargo)
        expected.visit(process.reference)
        for pair in slots { expected.visit(pair?.reference) }
        for token in tokens { expected.visit(token.reference) }
        for tracked in kept { expected.visit(tracked.number) }
        for case let (_, wrapper)? in wrappers {
            expected.visit(wrapper.container)
            expected.visit(wrapper.memo ?? nil)
        }
        for strand in guests + [mainStrand] {
            for container in strand.inUse { expected.visit(container) }
        }
        let lost = expected.instances.subtracting(live)
        expect(lost.isEmpty, "released too early: \(lost.sorted())")
        let held = payloadCount(of: nil)
        expect(held == process.reference.entries.count, "the registry holds \(held) payloads")
        verifySpared()
        let deferred = hop_statistics_read(nil).deferred
        let most = borrows.count + creations
        expect(deferred <= most, "\(deferred) releases are deferred, but no more than \(most) services are borrowed")
        guard pins == 0 else { return }
        let left = live.subtracting(expected.instances)
        expect(left.isEmpty, "not released: \(left.sorted())")
        for (real, reference) in containers {
            let shouldLive = expected.containers.contains(ObjectIdentifier(reference))
            expect((real() != nil) == shouldLive, "a container is \(shouldLive ? "gone" : "left")")
        }
        expect(deferred == 0, "releases are deferred though nobody borrows")
    }
}

extension Place {
    fileprivate var isShared: Bool { if case .shared = self { true } else { false } }
}

/// The number of payloads that a registry holds.
private func payloadCount(of registry: OpaquePointer?) -> Int {
    var keys = [hop_key](repeating: hop_key(), count: hop_copy_keys(registry, nil, 0))
    let count = hop_copy_keys(registry, &keys, keys.count)
    return keys.prefix(count).reduce(0) { $0 + hop_copy_stack(registry, $1, { _ in }, nil, 0) }
}
