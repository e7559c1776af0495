#if Configuration
    public import Configuration

    /// The settings that modules read: a snapshot of configuration providers, or of one part of their keys.
    ///
    /// ```swift
    /// import Configuration
    /// import HopoateConfiguration
    ///
    /// let configuration: DependencyConfiguration = [EnvironmentVariablesProvider()]
    /// let (host, port) = try configuration.read(
    ///     Setting<String>.optional("host", default: "127.0.0.1"), Setting<Int>.required("port", in: 0...65_535))
    /// print(host, port)
    /// ```
    ///
    /// The providers are read once, when the configuration is created. So all modules see the same state, even if a provider reloads
    /// its file meanwhile.
    ///
    /// - Note: Concurrency. Immutable and thread-safe.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    public struct DependencyConfiguration: Sendable {
        /// The reader of swift-configuration below the current key, for methods that ``Setting`` lacks.
        ///
        /// Its errors are not collected. Its methods need `isSecret: true` for each secret.
        public let snapshot: ConfigSnapshotReader
        /// The components of the current key, below the reader that the configuration was created with.
        let path: [String]
        /// The type that is being created; nil outside of one.
        let reading: (any Any.Type)?

        init(
            _ snapshot: ConfigSnapshotReader, at path: [String] = [], reading: (any Any.Type)? = nil
        ) {
            self.snapshot = snapshot
            self.path = path
            self.reading = reading
        }

        /// Creates a configuration from providers.
        ///
        /// ```swift
        /// import Configuration
        /// import HopoateConfiguration
        ///
        /// let defaults = InMemoryProvider(values: ["storage.path": "/data/shop.sqlite"])
        /// let configuration = DependencyConfiguration(providers: [EnvironmentVariablesProvider(), defaults])
        /// print(configuration)
        /// ```
        ///
        /// - Parameters:
        ///   - providers: The providers. The first one that has a value for a key determines it.
        ///   - accessReporter: Receives an event for each setting that is read; nil for none.
        /// - Complexity: That of a snapshot of each provider.
        public init(providers: [any ConfigProvider], accessReporter: (any AccessReporter)? = nil) {
            // A reader without providers would trap.
            let providers = providers.isEmpty ? [InMemoryProvider(values: [:])] : providers
            self.init(
                ConfigReader(
                    providers: providers, accessReporter: ConfigurationDiagnostics(reportingTo: accessReporter)))
        }

        /// Creates a configuration from a reader of swift-configuration.
        ///
        /// A reader does not tell how its providers spell a key, or which values they regard as secret. So errors name the key relative
        /// to the reader, and they show no values. If the reader has ``ConfigurationDiagnostics``, errors show both.
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
        /// - Parameter reader: The reader.
        /// - Complexity: That of a snapshot of each provider.
        public init(_ reader: ConfigReader) {
            self.init(reader.snapshot())
        }

        /// Returns the configuration below a key.
        ///
        /// ```swift
        /// import Configuration
        /// import HopoateConfiguration
        ///
        /// let configuration: DependencyConfiguration = [EnvironmentVariablesProvider()]
        /// let path = try configuration.scoped(to: "storage").read(Setting<String>.required("path"))  // STORAGE_PATH
        /// print(path)
        /// ```
        ///
        /// - Parameter key: The key.
        /// - Returns: The configuration, whose keys all begin with the key.
        /// - Complexity: O(n) in the components of the key.
        public func scoped(to key: ConfigKey) -> DependencyConfiguration {
            DependencyConfiguration(snapshot.scoped(to: key), at: path + key.components, reading: reading)
        }

        /// The same configuration for the initializer of a type, for messages.
        func reading(_ type: any Any.Type) -> DependencyConfiguration {
            DependencyConfiguration(snapshot, at: path, reading: type)
        }
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    extension DependencyConfiguration: ExpressibleByArrayLiteral {
        /// Creates a configuration from a list of providers.
        ///
        /// - Parameter providers: The providers. The first one that has a value for a key determines it.
        /// - Complexity: That of a snapshot of each provider.
        public init(arrayLiteral providers: any ConfigProvider...) {
            self.init(providers: providers)
        }
    }

    // The snapshot holds the values of secrets, so no description and no mirror shows its contents.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    extension DependencyConfiguration: CustomStringConvertible, CustomReflectable {
        /// The names of the providers and the current key, without any value.
        public var description: String { snapshot.description }

        /// A mirror without children, so that `dump` shows no value.
        public var customMirror: Mirror { Mirror(self, children: []) }
    }
#endif
