import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The number of rounds of a test: fewer in slow builds, more if `HOP_LONG_TESTS` is set.
func rounds(_ usual: Int) -> Int {
    let factor = ProcessInfo.processInfo.environment["HOP_LONG_TESTS"].flatMap { Int($0) } ?? 1
    return max(1, usual / slowness) * max(1, factor)
}

/// The divisor for the number of rounds, compared to a release build without a sanitizer.
private let slowness: Int = {
    var slowness = 1
    #if DEBUG
        slowness *= 10
    #endif
    if isSanitized { slowness *= 10 }
    return slowness
}()

/// Whether this process runs under a sanitizer.
let isSanitized =
    libraryFunction("__sanitizer_get_current_allocated_bytes", as: (@convention(c) () -> Int).self) != nil

/// Whether this process runs under ThreadSanitizer.
let isThreadSanitized =
    libraryFunction("__tsan_acquire", as: (@convention(c) (UnsafeMutableRawPointer?) -> Void).self) != nil

/// Returns a C function that exists in the library of the system or of a sanitizer, but is not visible to Swift.
private func libraryFunction<Function>(_ name: String, as type: Function.Type) -> Function? {
    #if canImport(Darwin)
        let everywhere = UnsafeMutableRawPointer(bitPattern: -2)
    #else
        let everywhere: UnsafeMutableRawPointer? = nil
    #endif
    // Sound, because the callers pass the type from the C header.
    return dlsym(everywhere, name).map { unsafeBitCast($0, to: type) }
}

/// The bytes of the heap in use. Exact only if nothing else runs in the process.
func allocatedBytes() -> Int {
    if let count = libraryFunction("__sanitizer_get_current_allocated_bytes", as: (@convention(c) () -> Int).self) {
        return count()
    }
    #if canImport(Darwin)
        return Int(mstats().bytes_used)
    #else
        return allocatorReport().map(bytesInUse) ?? residentBytes()
    #endif
}

/// The bytes of the heap that the block at an address takes, as `allocatedBytes` counts them.
func allocatedBytes(at address: UnsafeRawPointer) -> Int {
    typealias Function = @convention(c) (UnsafeRawPointer) -> Int
    if let size = libraryFunction("__sanitizer_get_allocated_size", as: Function.self) { return size(address) }
    #if canImport(Darwin)
        return malloc_size(address)
    #else
        // One word of each block belongs to the allocator.
        return libraryFunction("malloc_usable_size", as: Function.self)!(address) + MemoryLayout<Int>.size
    #endif
}

#if !canImport(Darwin)
    /// The report of the GNU allocator in XML, or nil with another allocator.
    private func allocatorReport() -> String? {
        typealias Function = @convention(c) (CInt, OpaquePointer?) -> CInt
        guard let report = libraryFunction("malloc_info", as: Function.self) else { return nil }
        var text: UnsafeMutablePointer<CChar>?
        var size = 0
        guard let stream = open_memstream(&text, &size) else { return nil }
        _ = report(0, OpaquePointer(UnsafeRawPointer(stream)))
        fclose(stream)
        defer { free(text) }
        return text.map { String(cString: $0) }
    }

    /// The totals follow the arenas: memory from the system, minus free memory, plus memory with its own pages.
    private func bytesInUse(_ report: String) -> Int {
        let totals = report.components(separatedBy: "</heap>").last ?? ""
        func size(of kind: String) -> Int {
            let line = totals.split(separator: "\n").first { $0.contains(kind) } ?? ""
            return Int(line.components(separatedBy: "size=\"").last?.split(separator: "\"").first ?? "") ?? 0
        }
        return size(of: "<system type=\"current\"") - size(of: "type=\"fast\"") - size(of: "type=\"rest\"")
            + size(of: "type=\"mmap\"")
    }
#endif

/// The bytes of resident memory of the process.
func residentBytes() -> Int {
    #if os(Linux)
        let statistics = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        let pages = statistics.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
    #else
        // The maximum so far, which stays flat if the current value does.
        var usage = rusage()
        getrusage(RUSAGE_SELF, &usage)
        return Int(usage.ru_maxrss)
    #endif
}
