@preconcurrency import CRegistry
import Foundation

/// The state of the running program. Unsafe, because it is not protected. Sound, because one thread runs at any time.
nonisolated(unsafe) var world: World!

/// libFuzzer calls this once for each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func runInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let program = Decoder.program(from: UnsafeBufferPointer(start: bytes, count: count))
    // Each input begins like a new process: `shared` was neither used nor overridden.
    hop_shared_word = 0
    world = World()
    world.run(program)
    world.end()
    world = nil
    return 0
}

/// libFuzzer calls this at the start. `--explain FILE` prints the program that a file encodes.
@_cdecl("LLVMFuzzerInitialize")
public func start(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>>>
) -> CInt {
    let arguments = (0..<Int(count.pointee)).map { String(cString: arguments.pointee[$0]) }
    guard let option = arguments.firstIndex(of: "--explain"), option + 1 < arguments.count else { return 0 }
    guard let data = FileManager.default.contents(atPath: arguments[option + 1]) else {
        print("fuzz: cannot read \(arguments[option + 1])")
        fflush(nil)
        _exit(2)
    }
    let program = data.withUnsafeBytes { Decoder.program(from: $0.bindMemory(to: UInt8.self)) }
    print("containers: 0 the default one, 1 by itself, 2 a child of 1, 3 a child of 0")
    for (number, operation) in program.enumerated() {
        print(operation.lines(indentation: "    ").joined(separator: "\n").replacingPrefix(with: number + 1))
    }
    fflush(nil)
    _exit(0)
}

extension String {
    fileprivate func replacingPrefix(with number: Int) -> String {
        let text = String(number) + "."
        return text + String(repeating: " ", count: max(1, 4 - text.count)) + dropFirst(4)
    }
}

// MARK: - Findings

func expect(_ condition: Bool, _ message: @autoclosure () -> String) {
    if !condition { fail(message()) }
}

/// Prints a report and crashes, which libFuzzer treats as a finding.
func fail(_ message: String) -> Never {
    let report = ["MISMATCH: \(message)"] + (world?.path ?? []).map { "    in: \($0)" } + [""]
    FileHandle.standardError.write(Data(report.joined(separator: "\n").utf8))
    abort()
}
