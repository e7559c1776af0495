#if ServiceLifecycle
    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #elseif canImport(Darwin)
        import Darwin
    #endif

    /// A file that may be a terminal, where a person reads along.
    package struct Terminal: Sendable {
        private let file: Int32

        package static let standardError = Terminal(file: STDERR_FILENO)

        package init(file: Int32) {
            self.file = file
        }

        /// Writes a text and a line break if the file is a terminal. A log that is collected gets no charts.
        package func write(_ text: String) {
            guard isatty(file) == 1 else { return }
            var bytes = Array((text + "\n").utf8)[...]
            while !bytes.isEmpty {
                let count = bytes.withUnsafeBytes { systemWrite(file, $0.baseAddress, $0.count) }
                if count < 0, errno == EINTR { continue }
                // A chart that cannot be written is no reason to end the program.
                guard count > 0 else { return }
                bytes = bytes.dropFirst(count)
            }
        }
    }

    private func systemWrite(_ file: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
        write(file, bytes, count)
    }
#endif
