import Foundation

/// The resource usage of a process.
struct Usage {
    /// Processor time in user and system mode, in microseconds.
    var processorTime: Int
    /// Memory in kilobytes.
    var memory: Int
    var peakMemory: Int

    /// The usage of this process.
    static var current: Usage {
        var usage = rusage()
        #if os(Linux)
            getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
            let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ")
            let memory = (pages?.dropFirst().first.flatMap { Int($0) } ?? 0) * Int(getpagesize()) / 1_024
            // Not `ru_maxrss`, which a process inherits from the one that started it.
            let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8))?.split(separator: "\n")
            let line = status?.first { $0.hasPrefix("VmHWM:") }?.split(whereSeparator: \.isWhitespace)
            let peak = line?.dropFirst().first.flatMap { Int($0) } ?? 0
        #else
            getrusage(RUSAGE_SELF, &usage)
            let memory = usage.ru_maxrss / 1_024
            let peak = usage.ru_maxrss / 1_024
        #endif
        let (user, system) = (usage.ru_utime, usage.ru_stime)
        let microseconds = (Int(user.tv_sec) + Int(system.tv_sec)) * 1_000_000 + Int(user.tv_usec) + Int(system.tv_usec)
        return Usage(processorTime: microseconds, memory: memory, peakMemory: Int(peak))
    }

    var text: String { "usage \(processorTime) \(memory) \(peakMemory)" }
}

extension Usage {
    /// Parses the format of `text`.
    init?(_ text: some StringProtocol) {
        let numbers = text.split(separator: " ").dropFirst().compactMap { Int($0) }
        guard text.hasPrefix("usage "), numbers.count == 3 else { return nil }
        self.init(processorTime: numbers[0], memory: numbers[1], peakMemory: numbers[2])
    }
}
