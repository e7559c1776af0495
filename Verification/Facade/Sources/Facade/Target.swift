import CExecutor
import Foundation
import Hopoate

/// The state of the running program. Unsafe, because it is not protected. Sound, because one thread runs at any time.
nonisolated(unsafe) var world: World!

/// The rules that are not checked, so that violations of other rules can be found: FACADE_SKIP="S7 S8".
private let skipped = Set(
    (ProcessInfo.processInfo.environment["FACADE_SKIP"] ?? "").split(separator: " ").map(String.init))

func skips(_ rule: String) -> Bool { skipped.contains(rule) }

/// Reports that the library breaks a rule and crashes, which libFuzzer treats as a finding.
func violation(_ rule: String, _ message: @autoclosure () -> String, isFatal: Bool = false) {
    if skips(rule), !isFatal { return }
    let lines = ["VIOLATION \(rule): \(message())"] + world.path.map { "    in: \($0)" } + [""]
    fflush(nil)
    FileHandle.standardError.write(Data(lines.joined(separator: "\n").utf8))
    abort()
}

/// Runs the program that the bytes encode.
func runProgram(_ bytes: some Collection<UInt8>, tracing: Bool = false) {
    let program = Decoder.program(from: bytes)
    world = World(tracing: tracing)
    // A trap of the library is a violation, too: no program makes a call that may trap.
    DependencyContainer.withFailureHandler { error in
        violation(world.path.last.map { String($0.prefix { $0 != ":" }) } ?? "trap", "a trap: \(error)", isFatal: true)
    } operation: {
        world.run(program)
    }
    world = nil
}

private func installExecutor() { facade_executor_install { world.enqueue(.plain($0)) } }

/// The bytes of a program, from a seed.
private func randomBytes(_ seed: UInt64) -> [UInt8] {
    var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
    for _ in 0..<8 { _ = next() }
    return (0..<(40 + Int(next() >> 33) % 400)).map { _ in UInt8(truncatingIfNeeded: next() >> 24) }
}

/// The line that the process prints when a signal kills it. Never freed.
private nonisolated(unsafe) let lastLine = UnsafeMutablePointer<CChar>.allocate(capacity: 200)

private func remember(_ line: String) {
    _ = line.withCString { strncpy(lastLine, $0, 199) }
}

/// Handles the options that need no fuzzer.
///
/// - Returns: Whether there was one.
private func runAlone(_ arguments: [String]) -> Bool {
    guard arguments.count > 2 else { return false }
    switch arguments[1] {
    case "--explain", "--replay":
        installExecutor()
        guard let data = FileManager.default.contents(atPath: arguments[2]) else {
            print("fuzz: cannot read \(arguments[2])")
            return true
        }
        remember("\nfuzz: died\n")
        // Twice, because a fuzzer has run other programs before: the default container keeps the scope slots that they reserved. A finding of
        // the first run is explained too.
        for _ in 0..<2 { runProgram(data, tracing: arguments[1] == "--explain") }
    case "--seed":
        installExecutor()
        facade_signals_report(lastLine)
        guard let seed = UInt64(arguments[2]) else { return false }
        remember("\nfuzz: replay with: fuzz Facade --seed \(seed)\n")
        if arguments.count > 3 {
            _ = FileManager.default.createFile(atPath: arguments[3], contents: Data(randomBytes(seed)))
        }
        runProgram(randomBytes(seed), tracing: true)
    case "--random":
        installExecutor()
        facade_signals_report(lastLine)
        let first = arguments.count > 3 ? UInt64(arguments[3]) ?? 1 : UInt64.random(in: 1...1 << 40)
        let seconds = Double(arguments[2]) ?? 10
        let start = Date()
        var seed = first
        while Date().timeIntervalSince(start) < seconds {
            remember("\nfuzz: replay with: fuzz Facade --seed \(seed)\n")
            // A program that does not end is a finding.
            alarm(60)
            runProgram(randomBytes(seed))
            seed += 1
        }
        alarm(0)
        print("fuzz: \(seed - first) random programs from seed \(first), no finding")
    default: return false
    }
    return true
}

#if PLAIN
    @main
    enum Main {
        static func main() {
            if !runAlone(CommandLine.arguments) {
                print("usage: --random SECONDS [SEED] | --seed SEED [FILE] | --replay FILE")
            }
        }
    }
#else
    /// libFuzzer calls this once for each input.
    @_cdecl("LLVMFuzzerTestOneInput")
    public func runInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
        runProgram(UnsafeBufferPointer(start: bytes, count: count))
        return 0
    }

    /// libFuzzer calls this at the start.
    @_cdecl("LLVMFuzzerInitialize")
    public func start(
        _ count: UnsafeMutablePointer<CInt>,
        _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>>>
    ) -> CInt {
        let arguments = (0..<Int(count.pointee)).map { String(cString: arguments.pointee[$0]) }
        if runAlone(arguments) {
            fflush(nil)
            _exit(0)
        }
        installExecutor()
        return 0
    }
#endif
