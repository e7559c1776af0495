// What is needed of the system, without Foundation, so that nothing but the C library and the Swift runtime is linked
// in.

import CCounters

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

enum System {
    /// How many cores this process may use, which may be fewer than the machine has.
    static var cores: Int { counters_usable_cores() }

    /// The version of the Swift runtime, which on Linux is the compiler's; without its patch level, which it does not
    /// know.
    static var swiftVersion: String {
        _SwiftStdlibVersion.current.description.split(separator: ".").prefix(2).joined(separator: ".")
    }

    static var architecture: String {
        #if arch(x86_64)
            "x86-64"
        #elseif arch(arm64)
            "arm64"
        #else
            "unknown architecture"
        #endif
    }

    static var description: String {
        "\(cores) \(cores == 1 ? "core" : "cores") (\(architecture)), Swift \(swiftVersion)"
    }

    /// A monotonic clock.
    @inline(__always)
    static func nanoseconds() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    static func save(_ text: String, to file: String) -> Bool {
        guard let stream = fopen(file, "w") else { return false }
        let isWritten = fputs(text, stream) >= 0
        return fclose(stream) == 0 && isWritten
    }

    static func printError(_ text: String) { _ = (text + "\n").withCString { write(2, $0, strlen($0)) } }

    static func end(_ status: Int32) -> Never { exit(status) }
}

/// Prints a line, at once also where nobody but a file listens.
func say(_ line: String) {
    print(line)
    fflush(nil)
}

extension Double {
    /// The number with so many decimals, without Foundation.
    func fixed(_ decimals: Int) -> String {
        guard isFinite else { return "–" }
        var scale = 1.0
        for _ in 0..<decimals { scale *= 10 }
        let scaled = Int((magnitude * scale).rounded())
        let sign = self < 0 && scaled != 0 ? "-" : ""
        guard decimals > 0 else { return "\(sign)\(scaled)" }
        let digits = String(scaled % Int(scale))
        return "\(sign)\(scaled / Int(scale))." + String(repeating: "0", count: decimals - digits.count) + digits
    }

    var decimalLogarithm: Double { log10(self) }

    /// Three significant digits or so, for nanoseconds.
    var short: String { fixed(magnitude < 10 ? 2 : magnitude < 100 ? 1 : 0) }
}

extension String {
    /// The text, filled up with spaces on one side.
    func padded(to width: Int, right: Bool = false) -> String {
        let spaces = String(repeating: " ", count: max(0, width - count))
        return right ? spaces + self : self + spaces
    }
}
