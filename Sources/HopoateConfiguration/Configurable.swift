#if Configuration
    public import Configuration
    public import Hopoate

    /// A type that is created from the settings of a program, for example a module.
    ///
    /// ```swift
    /// import Configuration
    /// import HopoateConfiguration
    ///
    /// struct StorageModule: DependencyModule, Configurable {
    ///     static let configurationKey: ConfigKey = "storage"
    ///     let path: String
    ///     let connections: Int
    ///
    ///     init(configuration: DependencyConfiguration) throws {
    ///         (path, connections) = try configuration.read(
    ///             Setting.required("path"),                               // STORAGE_PATH
    ///             Setting.optional("connections", default: 4, in: 1...64))  // STORAGE_CONNECTIONS
    ///     }
    ///
    ///     func register(in container: DependencyContainer) {
    ///         container.register(FileLog(path), for: (any Log).self)
    ///     }
    /// }
    /// try container.install(StorageModule.self, configuration: [EnvironmentVariablesProvider()])
    /// ```
    ///
    /// - Note: Concurrency. The initializer runs on the thread that reads the configuration, with no lock held.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    public protocol Configurable: SendableMetatype {
        /// The key that comes before the keys of the settings; by default none.
        static var configurationKey: ConfigKey { get }

        /// Creates an instance from its settings.
        ///
        /// Read all settings in one call of `read`, so that one error lists all problems. Any other error that you throw becomes one
        /// of the problems, for example if two settings contradict each other.
        ///
        /// - Parameter configuration: The configuration below ``configurationKey``.
        /// - Throws: ``DependencyConfigurationError``, or an error of the type.
        init(configuration: DependencyConfiguration) throws
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    extension Configurable {
        /// The default implementation: no key comes before the keys of the settings.
        public static var configurationKey: ConfigKey { ConfigKey([]) }
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    extension DependencyContainer {
        /// Creates modules from a configuration and installs them, if all their settings are valid.
        ///
        /// ```swift
        /// import Configuration
        /// import HopoateConfiguration
        ///
        /// struct LogModule: DependencyModule, Configurable {
        ///     let path: String
        ///     init(configuration: DependencyConfiguration) throws {
        ///         path = try configuration.read(.optional("log.path", default: "service.log"))
        ///     }
        /// }
        /// try container.install(LogModule.self, configuration: [EnvironmentVariablesProvider()])
        /// ```
        ///
        /// All modules are created before the first one registers. To install them together with other modules, create them first,
        /// with `configuration.read(LogModule.self)`.
        ///
        /// - Parameters:
        ///   - modules: The types of the modules.
        ///   - configuration: The configuration.
        /// - Returns: A token for `uninstall(_:)`. You need not keep it.
        /// - Throws: ``DependencyConfigurationError`` with the problems of all modules, before anything is registered. Otherwise the
        ///   errors of `install(_:)`.
        /// - Complexity: That of reading the settings, and that of `install(_:)`.
        @discardableResult
        public func install<each Module: DependencyModule & Configurable>(
            _ modules: repeat (each Module).Type, configuration: DependencyConfiguration
        ) throws -> Installation {
            let created = try configuration.read(repeat each modules)
            var list: [any DependencyModule] = []
            for module in repeat each created { list.append(module) }
            return try install { list }
        }
    }
#endif
