// A program: the steps that a byte string encodes.

/// The operation of a step. The bytes after the code select its operands, modulo their number.
enum Code: UInt8, CaseIterable {
    case register, ask, askInTask, remove, makeChild, dropContainer, shutdown, asyncShutdown, reset, removeAll, seal
    case overwrite, spawn, cancel, openGate, run, letGo, override, decorate, forward, install, uninstall, validate
    case readWrappers, makeWrappers, readMadeWrappers, borrow, handle, askHandle, resolveAll, warmUp, pass, useAgain
    case abandon, readOwnWrappers, fail, registerFailing
}

struct Step {
    let code: Code
    let a: Int
    let b: Int
    let c: Int
    let d: Int
    /// The program of the user code in the step: a factory, a task, a closure, a module.
    let script: [Step]
    /// The program that runs when an instance is complete, or when it is disposed of.
    let second: [Step]
    /// Which call of a completion throws.
    var failure = 0
}

struct Decoder {
    private var bytes: ArraySlice<UInt8>

    static func program(from bytes: some Collection<UInt8>) -> [Step] {
        var decoder = Decoder(bytes: ArraySlice(Array(bytes)))
        var steps: [Step] = []
        while !decoder.bytes.isEmpty, steps.count < 200 { steps.append(decoder.step(depth: 0)) }
        return steps
    }

    /// The code for each byte below 192. Steps that create or resolve instances occur more often.
    // A change of this table would change the meaning of the corpus.
    private static let codes: [Code] = [
        .register, .ask, .askInTask, .remove, .makeChild, .dropContainer, .shutdown, .asyncShutdown, .reset, .removeAll,
        .seal, .overwrite, .spawn, .cancel, .openGate, .run, .letGo, .override, .decorate, .forward, .install,
        .uninstall, .validate, .readWrappers, .makeWrappers, .readMadeWrappers, .borrow, .handle, .askHandle,
        .resolveAll, .warmUp, .pass, .useAgain, .abandon,
        .register, .register, .register, .register, .register, .register, .register, .ask, .ask, .ask, .ask, .ask, .ask,
        .askInTask, .askInTask, .askInTask, .askInTask, .remove, .remove, .spawn, .spawn, .run, .run, .run, .useAgain,
        .useAgain, .override, .reset, .overwrite, .makeChild,
    ]

    /// The code for each of the other bytes.
    private static let moreCodes: [Code] = [
        .readOwnWrappers, .fail, .registerFailing, .register, .ask, .askInTask, .override, .makeChild, .readWrappers,
        .readOwnWrappers, .fail, .ask, .register, .useAgain, .askInTask, .reset,
    ]

    private mutating func byte() -> Int { bytes.popFirst().map(Int.init) ?? 0 }

    private mutating func script(_ count: Int, depth: Int) -> [Step] {
        guard depth < 4 else { return [] }
        return (0..<count).map { _ in step(depth: depth + 1) }
    }

    private mutating func step(depth: Int) -> Step {
        let first = byte()
        let code =
            first < 192 ? Decoder.codes[first & 63] : Decoder.moreCodes[first & 15]
        let (a, b, c, d) = (byte(), byte(), byte(), byte())
        var script: [Step] = []
        var second: [Step] = []
        var failure = 0
        switch code {
        case .register, .overwrite:
            let counts = byte()
            script = self.script([0, 0, 1, 2, 3, 4, 1, 0][counts & 7], depth: depth)
            second = self.script([0, 0, 0, 0, 0, 0, 1, 2][counts >> 3 & 7], depth: depth)
            failure = counts >> 6
        case .askInTask, .decorate: script = self.script(d % 3, depth: depth)
        case .spawn, .override, .install, .borrow: script = self.script(1 + d % 4, depth: depth)
        default: break
        }
        return Step(code: code, a: a, b: b, c: c, d: d, script: script, second: second, failure: failure)
    }
}
