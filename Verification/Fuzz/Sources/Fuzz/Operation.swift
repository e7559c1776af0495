/// The container of a step.
enum Place {
    case slot(Int)
    /// `DependencyContainer.shared` and the free functions.
    case shared
}

/// The form of a registration.
struct Form {
    enum Source { case instance, cached, uncached }
    let source: Source
    let overwrites: Bool
}

/// The programs that a registration's instances run, and the container that they keep alive.
struct Plan {
    /// Runs in the factory, before the instance is created.
    var creation: [Operation] = []
    /// Runs in the deinitializer of the instance.
    var will: [Operation] = []
    /// A container that the instance keeps alive.
    var cargo: Int?
}

/// One step of a program.
indirect enum Operation {
    case register(Place, kind: Int, Form, Plan, keepsToken: Bool)
    case registerKept(Place, kind: Int, kept: Int)
    case registerMany(Place, first: Int, count: Int)
    case removeMany(Place, count: Int)
    case remove(Place?, token: Int, dropsToken: Bool)
    case removeAll(Place)
    case resolve(Place, kind: Int, keeps: Bool)
    case optionalResolve(Place, kind: Int, keeps: Bool)
    case canResolve(Place, kind: Int)
    case resolveAll(Place, kind: Int, keeps: Bool)
    case borrow(Place, kind: Int, optional: Bool, throws: Bool, [Operation])
    case bind(Place, throws: Bool, [Operation])
    case makeContainer(slot: Int)
    case makeChild(Place, slot: Int)
    case dropContainer(slot: Int)
    case dropToken(Int)
    case dropKept(Int)
    case makeWrapper(slot: Int, Place, kind: Int, optional: Bool)
    case readWrapper(slot: Int, keeps: Bool)
    case assignWrapper(slot: Int, kept: Int?, Plan)
    case clearWrapper(slot: Int)
    case dropWrapper(slot: Int)
    /// Another thread borrows a service and stops in the middle of its closure.
    case guestEnters(Int, Place, kind: Int, before: [Operation], after: [Operation])
    /// That thread goes on and leaves the closure.
    case guestLeaves(Int)
}

// MARK: - Decoding

/// Decodes bytes to a program. Any bytes are a program, and most small changes of the bytes change the program little.
struct Decoder {
    static let slots = 6
    static let wrappers = 4
    static let guests = 2
    private static let longestProgram = 300
    private static let deepestProgram = 3

    private var bytes: UnsafeBufferPointer<UInt8>.SubSequence

    static func program(from bytes: UnsafeBufferPointer<UInt8>) -> [Operation] {
        var decoder = Decoder(bytes: bytes[...])
        var program: [Operation] = []
        while !decoder.bytes.isEmpty, program.count < longestProgram { program.append(decoder.operation(depth: 0)) }
        return program
    }

    private mutating func byte() -> Int { Int(bytes.popFirst() ?? 0) }

    private mutating func program(depth: Int) -> [Operation] {
        guard depth < Self.deepestProgram else { return [] }
        let count = byte() % 6
        return (0..<count).map { _ in operation(depth: depth + 1) }
    }

    private mutating func place() -> Place {
        let byte = byte() & 7
        return byte < Self.slots ? .slot(byte) : .shared
    }

    private mutating func slot() -> Int { byte() % Self.slots }

    private mutating func kind() -> Int {
        // Programs reach more states if their steps use the same few types.
        switch byte() {
        case let byte where byte < 128: byte & 1
        case let byte where byte < 192: byte % kindsOfTheirOwn
        case let byte: kindsOfTheirOwn + (byte - 192) % (allKinds.count - kindsOfTheirOwn)
        }
    }

    private mutating func plan(depth: Int) -> Plan {
        let parts = byte()
        var plan = Plan()
        if parts & 1 != 0 { plan.creation = program(depth: depth) }
        if parts & 2 != 0 { plan.will = program(depth: depth) }
        if parts & 4 != 0 { plan.cargo = slot() }
        return plan
    }

    private mutating func operation(depth: Int) -> Operation {
        let code = byte()
        // The upper bits are flags, so that a flag can change without shifting the bytes that follow.
        let flag = code & 0x40 != 0
        let second = code & 0x80 != 0
        switch code & 0x1f {
        case 0, 1, 2:
            let source: Form.Source = [.instance, .cached, .uncached][code & 0x1f]
            return .register(
                place(), kind: kind(), Form(source: source, overwrites: flag), plan(depth: depth), keepsToken: !second)
        case 3: return .registerKept(place(), kind: kind(), kept: byte())
        case 4: return .registerMany(place(), first: byte(), count: byte() % 80)
        case 5: return .removeMany(place(), count: byte() % 80)
        case 6: return .remove(nil, token: byte(), dropsToken: flag)
        case 7: return .remove(place(), token: byte(), dropsToken: flag)
        case 8: return .removeAll(place())
        case 9: return .resolve(place(), kind: kind(), keeps: flag)
        case 10: return .optionalResolve(place(), kind: kind(), keeps: flag)
        case 11: return .canResolve(place(), kind: kind())
        case 12: return .resolveAll(place(), kind: kind(), keeps: flag)
        case 13, 14:
            return .borrow(place(), kind: kind(), optional: flag, throws: second, program(depth: depth))
        case 15: return .bind(place(), throws: second, program(depth: depth))
        case 16: return .makeContainer(slot: slot())
        case 17: return .makeChild(place(), slot: slot())
        case 18: return .dropContainer(slot: slot())
        case 19: return .dropToken(byte())
        case 20: return .dropKept(byte())
        case 21: return .makeWrapper(slot: byte() % Self.wrappers, place(), kind: kind(), optional: flag)
        case 22: return .readWrapper(slot: byte() % Self.wrappers, keeps: flag)
        case 23: return .assignWrapper(slot: byte() % Self.wrappers, kept: flag ? byte() : nil, plan(depth: depth))
        case 24: return .clearWrapper(slot: byte() % Self.wrappers)
        case 25: return .dropWrapper(slot: byte() % Self.wrappers)
        case 26:
            return .guestEnters(
                byte() % Self.guests, place(), kind: kind(), before: program(depth: depth),
                after: program(depth: depth))
        case 27: return .guestLeaves(byte() % Self.guests)
        case 28: return .remove(nil, token: byte(), dropsToken: true)
        case 29:
            let form = Form(source: .instance, overwrites: flag)
            return .register(place(), kind: 0, form, Plan(), keepsToken: !second)
        case 30: return .resolve(.shared, kind: kind(), keeps: flag)
        default: return .canResolve(.shared, kind: kind())
        }
    }
}

// MARK: - Explaining

extension Place: CustomStringConvertible {
    var description: String {
        switch self {
        case .slot(0): "default"
        case .slot(let index): "container \(index)"
        case .shared: "shared"
        }
    }
}

extension Operation {
    /// The step as text, without the programs in it.
    var title: String {
        switch self {
        case .register(let place, let kind, let form, let plan, let keepsToken):
            (form.overwrites ? "overwrite" : "register")
                + " \(allKinds[kind].name) in \(place), \(form.source)"
                + (plan.cargo.map { ", keeping container \($0)" } ?? "") + (keepsToken ? "" : ", token dropped")
        case .registerKept(let place, let kind, let kept):
            "register kept #\(kept) as \(allKinds[kind].name) in \(place)"
        case .registerMany(let place, let first, let count): "register \(count) types from \(first) on in \(place)"
        case .removeMany(let place, let count): "remove the \(count) newest tokens from \(place)"
        case .remove(let place, let token, let drops):
            "remove token #\(token) from \(place?.description ?? "its container")" + (drops ? ", drop it" : "")
        case .removeAll(let place): "remove all from \(place)"
        case .resolve(let place, let kind, let keeps): "resolve \(allKinds[kind].name) in \(place)" + Self.kept(keeps)
        case .optionalResolve(let place, let kind, let keeps):
            "optionally resolve \(allKinds[kind].name) in \(place)" + Self.kept(keeps)
        case .canResolve(let place, let kind): "can resolve \(allKinds[kind].name) in \(place)?"
        case .resolveAll(let place, let kind, let keeps):
            "resolve all \(allKinds[kind].name) in \(place)" + Self.kept(keeps)
        case .borrow(let place, let kind, let optional, let throwing, _):
            "borrow \(allKinds[kind].name) in \(place)" + (optional ? ", if any" : "") + (throwing ? ", throwing" : "")
        case .bind(let place, let throwing, _): "bind \(place) to shared" + (throwing ? ", throwing" : "")
        case .makeContainer(let slot): "make container \(slot)"
        case .makeChild(let place, let slot): "make container \(slot), a child of \(place)"
        case .dropContainer(let slot): "drop container \(slot)"
        case .dropToken(let token): "drop token #\(token)"
        case .dropKept(let kept): "drop kept #\(kept)"
        case .makeWrapper(let slot, let place, let kind, let optional):
            "make wrapper \(slot): @\(optional ? "Optional" : "")Dependency(container: \(place)) \(allKinds[kind].name)"
        case .readWrapper(let slot, let keeps): "read wrapper \(slot)" + Self.kept(keeps)
        case .assignWrapper(let slot, let kept, _):
            "assign \(kept.map { "kept #\($0)" } ?? "a new instance") to wrapper \(slot)"
        case .clearWrapper(let slot): "assign nil to wrapper \(slot)"
        case .dropWrapper(let slot): "drop wrapper \(slot)"
        case .guestEnters(let guest, let place, let kind, _, _):
            "thread \(guest) borrows \(allKinds[kind].name) in \(place), if any, and stops in it"
        case .guestLeaves(let guest): "thread \(guest) goes on"
        }
    }

    private static func kept(_ keeps: Bool) -> String { keeps ? ", keep it" : "" }

    /// The programs in the step.
    private var parts: [(name: String, program: [Operation])] {
        switch self {
        case .register(_, _, _, let plan, _), .assignWrapper(_, _, let plan):
            [("its creator", plan.creation), ("its deinit", plan.will)]
        case .borrow(_, _, _, _, let body), .bind(_, _, let body): [("meanwhile", body)]
        case .guestEnters(_, _, _, let before, let after): [("before it stops", before), ("when it goes on", after)]
        default: []
        }
    }

    /// The step and the programs in it, one line for each step.
    func lines(indentation: String = "") -> [String] {
        [indentation + title]
            + parts.flatMap { name, program in
                program.isEmpty
                    ? []
                    : ["\(indentation)  \(name):"] + program.flatMap { $0.lines(indentation: indentation + "    ") }
            }
    }
}
