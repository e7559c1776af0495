#if Configuration
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    extension DependencyConfiguration {
        /// Returns the values of several settings, if all of them are valid.
        ///
        /// ```swift
        /// import HopoateConfiguration
        ///
        /// struct PaymentSettings: Configurable {
        ///     let host: String
        ///     let token: Secret<String>
        ///     let port: Int
        ///     let proxy: String?
        ///
        ///     init(configuration: DependencyConfiguration) throws {
        ///         (host, token, port, proxy) = try configuration.read(
        ///             Setting.required("host"), Setting.required("token"),
        ///             Setting.optional("port", default: 443, in: 1...65_535), Setting.optional("proxy"))
        ///     }
        /// }
        /// ```
        ///
        /// The types of the properties determine those of the settings.
        ///
        /// - Parameter settings: The settings.
        /// - Returns: The values, in the order of the settings.
        /// - Throws: ``DependencyConfigurationError`` with the problems of all settings.
        /// - Complexity: A lookup in each provider per setting; ten more for a setting that a provider cannot convert.
        public func read<each Value>(
            _ settings: repeat Setting<each Value>
        ) throws(DependencyConfigurationError) -> (repeat each Value) {
            let results = (repeat (each settings).result(self))
            var problems: [DependencyConfigurationError.Problem] = []
            for problem in repeat (each results).problems { problems += problem }
            if !problems.isEmpty { throw DependencyConfigurationError(problems) }
            return (repeat try (each results).get())
        }

        /// Returns the value of one setting, if it is valid.
        ///
        /// ```swift
        /// import Configuration
        /// import HopoateConfiguration
        ///
        /// let configuration: DependencyConfiguration = [InMemoryProvider(values: ["port": 8080])]
        /// let port: Int = try configuration.read(.required("port", in: 0...65_535))
        /// print(port)
        /// ```
        ///
        /// - Parameter setting: The setting.
        /// - Returns: The value.
        /// - Throws: ``DependencyConfigurationError``.
        /// - Complexity: That of reading several settings, for one.
        public func read<Value>(_ setting: Setting<Value>) throws(DependencyConfigurationError) -> Value {
            try setting.result(self).get()
        }

        /// Returns instances of several types that are created from this configuration, if all their settings are valid.
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
        /// struct Limits: Configurable {
        ///     let requests: Int
        ///     init(configuration: DependencyConfiguration) throws {
        ///         requests = try configuration.read(.optional("request.limit", default: 256, in: 1...10_000))
        ///     }
        /// }
        /// let configuration: DependencyConfiguration = [EnvironmentVariablesProvider()]
        /// let (log, limits) = try configuration.read(LogModule.self, Limits.self)
        /// try container.install(log)
        /// print(limits.requests)
        /// ```
        ///
        /// The settings of each type are read below its ``Configurable/configurationKey``.
        ///
        /// - Parameter parts: The types.
        /// - Returns: The instances, in the order of the types.
        /// - Throws: ``DependencyConfigurationError`` with the problems of all types.
        /// - Complexity: That of the initializers.
        public func read<each Part: Configurable>(
            _ parts: repeat (each Part).Type
        ) throws(DependencyConfigurationError) -> (repeat each Part) {
            try read(repeat Setting<each Part>.part(each parts))
        }
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    extension Result where Failure == DependencyConfigurationError {
        /// The problems of a setting; none if it has a value.
        fileprivate var problems: [DependencyConfigurationError.Problem] {
            if case .failure(let error) = self { error.problems } else { [] }
        }
    }
#endif
