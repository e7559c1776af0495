#if Configuration
    public import Configuration

    /// A setting of a program: its key, the values that are accepted, and its value if the key is absent.
    ///
    /// ```swift
    /// import Configuration
    /// import HopoateConfiguration
    ///
    /// extension Setting<Double> {
    ///     static func seconds(_ key: ConfigKey, default value: Double) -> Setting {
    ///         .optional(key, default: value, in: 0...86_400)
    ///     }
    /// }
    /// struct Timeouts: Configurable {
    ///     let connect: Double
    ///     let read: Double
    ///     init(configuration: DependencyConfiguration) throws {
    ///         (connect, read) = try configuration.read(
    ///             Setting.seconds("connect.timeout", default: 2), Setting.seconds("read.timeout", default: 10))
    ///     }
    /// }
    /// ```
    ///
    /// The types of values are those that conform to ``ConfigurationValue``. For other types, pass a closure that converts a text.
    ///
    /// The keys are those of swift-configuration: `storage.path` is the environment variable `STORAGE_PATH`.
    ///
    /// - Note: Concurrency. Immutable and thread-safe. Closures run on the thread that reads the setting, with no lock held.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    public struct Setting<Value>: Sendable {
        /// Reads the setting.
        let result: @Sendable (DependencyConfiguration) -> Result<Value, DependencyConfigurationError>

        private init(
            _ result: @escaping @Sendable (DependencyConfiguration) -> Result<Value, DependencyConfigurationError>
        ) {
            self.result = result
        }

        /// Creates a setting that a closure converts. A setting without a default is required.
        init(
            _ lookup: Lookup, absent: (@Sendable () -> Value)?, convert: @escaping @Sendable (ConfigContent) -> Value?
        ) {
            let isSecret = lookup.isSecret || Value.self is any AnySecret.Type
            self.init { configuration in
                lookup.result(in: configuration, isSecret: isSecret, absent: absent, convert: convert)
            }
        }

        /// A part of the configuration: all settings of a type, for example of a module inside a module.
        ///
        /// ```swift
        /// import Configuration
        /// import HopoateConfiguration
        ///
        /// struct PoolModule: DependencyModule, Configurable {
        ///     let size: Int
        ///     init(configuration: DependencyConfiguration) throws {
        ///         size = try configuration.read(.optional("size", default: 4, in: 1...64))
        ///     }
        /// }
        /// struct StorageModule: DependencyModule, Configurable {
        ///     static let configurationKey: ConfigKey = "storage"
        ///     let path: String
        ///     let readers: PoolModule
        ///     let writers: PoolModule
        ///
        ///     init(configuration: DependencyConfiguration) throws {
        ///         (path, readers, writers) = try configuration.read(
        ///             Setting.required("path"),                     // STORAGE_PATH
        ///             Setting.part(PoolModule.self, at: "readers"),  // STORAGE_READERS_SIZE
        ///             Setting.part(PoolModule.self, at: "writers"))  // STORAGE_WRITERS_SIZE
        ///     }
        ///
        ///     var modules: [any DependencyModule] {
        ///         readers
        ///         writers
        ///     }
        /// }
        /// ```
        ///
        /// - Parameters:
        ///   - type: The type.
        ///   - key: The key that comes before the keys of its settings; nil for its own ``Configurable/configurationKey``.
        /// - Returns: The setting.
        /// - Complexity: Constant.
        public static func part(_ type: Value.Type, at key: ConfigKey? = nil) -> Setting where Value: Configurable {
            Setting { configuration in
                let scoped = configuration.scoped(to: key ?? type.configurationKey).reading(type)
                do {
                    return .success(try type.init(configuration: scoped))
                } catch let error as DependencyConfigurationError {
                    return .failure(error)
                } catch {
                    return .failure(DependencyConfigurationError([.init(refusedBy: type, error)]))
                }
            }
        }
    }
#endif
