// Functions of the system without Foundation, so that only the C library and the Swift runtime are linked.

import CCounters

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

enum System {
    /// The number of cores that this process may use, which may be fewer than the machine has.
    static var cores: Int { counters_usable_cores() }

    /// Whether this process runs without `membarrier`, by the environment variable that turns it off in the library.
    static var isWithoutMembarrier: Bool { getenv("HOPOATE_MEMBARRIER").map { strcmp($0, "off") == 0 } ?? false }

    /// The version of the Swift runtime without its patch level, which the runtime does not know. On Linux, it is the version of
    /// the compiler.
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

    /// The name of the processor, and whether the machine is virtual.
    static var processor: String {
        #if canImport(Darwin)
            return text(of: "machdep.cpu.brand_string") ?? "unknown processor"
        #else
            let lines = processorLines
            // Arm has numbers instead of names.
            let name = lines["model name"] ?? lines["Model"] ?? lines["CPU part"].map { "part \($0)" }
            let isVirtual = lines["flags"]?.split(separator: " ").contains("hypervisor") == true
            return (name ?? "unknown processor") + (isVirtual ? ", virtual machine" : "")
        #endif
    }

    #if canImport(Darwin)
        private static func text(of name: String) -> String? {
            var size = 0
            guard sysctlbyname(name, nil, &size, nil, 0) == 0, size > 0 else { return nil }
            var bytes = [UInt8](repeating: 0, count: size)
            guard sysctlbyname(name, &bytes, &size, nil, 0) == 0 else { return nil }
            return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    #else
        /// The fields of the first core that has them.
        private static var processorLines: [String: String] {
            guard let stream = fopen("/proc/cpuinfo", "r") else { return [:] }
            defer { fclose(stream) }
            var lines: [String: String] = [:]
            var buffer = [UInt8](repeating: 0, count: 16_384)
            while fgets(&buffer, Int32(buffer.count), stream) != nil {
                let line = String(decoding: buffer.prefix { $0 != 0 && $0 != 10 }, as: UTF8.self)
                let parts = line.split(separator: ":", maxSplits: 1)
                guard parts.count == 2 else { continue }
                let name = String(parts[0].prefix { $0 != "\t" })
                if lines[name] == nil { lines[name] = String(parts[1].drop { $0 == " " }) }
            }
            return lines
        }
    #endif

    static var description: String {
        "\(processor), \(cores) \(cores == 1 ? "core" : "cores") (\(architecture)), Swift \(swiftVersion)"
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

/// Prints a line without buffering, even into a file.
func say(_ line: String) {
    print(line)
    fflush(nil)
}

extension Double {
    /// Formats the number with fixed decimals, without Foundation.
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

    /// About three significant digits, for nanoseconds.
    var short: String { fixed(magnitude < 10 ? 2 : magnitude < 100 ? 1 : 0) }
}

extension String {
    /// Pads the text with spaces on one side.
    func padded(to width: Int, right: Bool = false) -> String {
        let spaces = String(repeating: " ", count: max(0, width - count))
        return right ? spaces + self : self + spaces
    }
}
