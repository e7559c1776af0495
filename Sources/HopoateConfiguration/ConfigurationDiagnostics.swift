#if Configuration
    public import Configuration
    import Synchronization

    /// An access reporter for a reader, so that errors show the provider's spelling of a key, and the value that is not accepted.
    ///
    /// ```swift
    /// import Configuration
    /// import HopoateConfiguration
    ///
    /// let reader = ConfigReader(provider: EnvironmentVariablesProvider(), accessReporter: ConfigurationDiagnostics())
    /// let configuration = DependencyConfiguration(reader.scoped(to: "shop"))
    /// print(configuration)
    /// ```
    ///
    /// You need it only if you pass a `ConfigReader` to ``DependencyConfiguration/init(_:)``.
    ///
    /// - Note: Concurrency. Stateless and thread-safe.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    public struct ConfigurationDiagnostics: AccessReporter {
        private let reporter: (any AccessReporter)?

        /// Creates a reporter.
        ///
        /// - Parameter reporter: Receives each event, too; nil for none.
        /// - Complexity: Constant.
        public init(reportingTo reporter: (any AccessReporter)? = nil) {
            self.reporter = reporter
        }

        /// Passes an event on.
        ///
        /// - Parameter event: The event.
        /// - Complexity: That of the other reporter.
        public func report(_ event: AccessEvent) {
            AccessObserver.current?.note(event)
            reporter?.report(event)
        }
    }

    /// Receives the access event of one lookup.
    ///
    /// A reader reports an event on the calling thread, before its method returns. A task that a provider starts inherits the
    /// observer and may report events of other keys at any time: those are ignored.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    final class AccessObserver: Sendable {
        @TaskLocal
        static var current: AccessObserver?

        private let path: [String]
        private let event = Mutex<AccessEvent?>(nil)

        /// Creates an observer of a key, given by its last components.
        private init(_ path: [String]) {
            self.path = path
        }

        /// Runs a lookup, and returns its result and its event. There is no event if the reader has no diagnostics.
        static func observing<Output>(
            _ path: [String], _ body: () throws -> Output
        ) -> (Result<Output, any Error>, AccessEvent?) {
            let observer = AccessObserver(path)
            let result = $current.withValue(observer) { Result { try body() } }
            return (result, observer.event.withLock { $0 })
        }

        func note(_ event: AccessEvent) {
            guard event.metadata.key.components.suffix(path.count).elementsEqual(path) else { return }
            self.event.withLock { $0 = event }
        }
    }
#endif
