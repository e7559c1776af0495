#if Configuration
    import Configuration

    /// The search for the content of one key, and the problem to report if it is absent or not accepted.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    struct Lookup: Sendable {
        /// The outcome of a search. The spelling of a key is nil if the reader has no diagnostics.
        private enum Outcome {
            /// Whether a provider regards the value as secret is nil if the reader has no diagnostics.
            case found(ConfigContent, spelling: String?, isSecret: Bool?)
            case absent(spelling: String?)
            case failed(any Error, spelling: String?)
        }

        private static let types: [ConfigType] = [
            .string, .int, .double, .bool, .stringArray, .intArray, .doubleArray, .boolArray, .bytes, .byteChunkArray,
        ]

        let key: ConfigKey
        let type: ConfigType
        let expected: String
        let isRequired: Bool
        let isSecret: Bool
        let fileID: StaticString
        let line: UInt

        init(
            _ key: ConfigKey, _ type: ConfigType, _ expected: String, isRequired: Bool, _ isSecret: Bool,
            _ fileID: StaticString, _ line: UInt
        ) {
            self.key = key
            self.type = type
            self.expected = expected
            self.isRequired = isRequired
            self.isSecret = isSecret
            self.fileID = fileID
            self.line = line
        }

        init<Value: ConfigurationValue>(
            _ key: ConfigKey, _ value: Value.Type, isRequired: Bool, _ isSecret: Bool, _ fileID: StaticString,
            _ line: UInt
        ) {
            self.init(
                key, value.configurationType, value.configurationExpectation, isRequired: isRequired, isSecret, fileID,
                line)
        }

        init<Value: ConfigurationValue>(
            _ key: ConfigKey, _ value: Value.Type, in range: ClosedRange<Value>, isRequired: Bool, _ isSecret: Bool,
            _ fileID: StaticString, _ line: UInt
        ) {
            let expected =
                "\(value.configurationExpectation) from \(describe(range.lowerBound)) to \(describe(range.upperBound))"
            self.init(key, value.configurationType, expected, isRequired: isRequired, isSecret, fileID, line)
        }

        /// Returns the value of the key, or the problem.
        func result<Value>(
            in configuration: DependencyConfiguration, isSecret: Bool, absent: (@Sendable () -> Value)?,
            convert: (ConfigContent) -> Value?
        ) -> Result<Value, DependencyConfigurationError> {
            let path = configuration.path + key.components
            func problem(
                _ reason: DependencyConfigurationError.Problem.Reason, _ spelling: String?, text: String? = nil,
                isMarked: Bool? = nil, _ underlying: (any Error)? = nil
            ) -> Result<Value, DependencyConfigurationError> {
                let spelling = spelling ?? path.joined(separator: ".")
                return .failure(
                    DependencyConfigurationError([
                        .init(
                            self, reason, key: spelling, text: text, isSecret: isSecret || isMarked == true,
                            underlying: underlying,
                            configuration.reading)
                    ]))
            }
            switch find(in: configuration.snapshot, isSecret: isSecret) {
            case .found(let content, let spelling, let isMarked):
                if let value = convert(content) { return .success(value) }
                // Without diagnostics, a provider may regard the value as secret.
                let text = !isSecret && isMarked == false ? content.shownText : nil
                return problem(.malformed, spelling, text: text, isMarked: isMarked)
            case .absent(let spelling):
                if let absent { return .success(absent()) }
                return problem(.absent, spelling)
            case .failed(let error, let spelling):
                // The error of a provider may quote the value.
                return problem(.unreadable, spelling, isSecret ? nil : error)
            }
        }

        /// Asks for the content of the type, and for that of all others if a provider cannot convert its content.
        private func find(in snapshot: ConfigSnapshotReader, isSecret: Bool) -> Outcome {
            func content(of type: ConfigType) -> (Result<ConfigContent, any Error>, AccessEvent?) {
                AccessObserver.observing(key.components) {
                    try snapshot.content(of: type, key, isSecret: isSecret, "\(fileID)", line)
                }
            }
            func found(_ content: ConfigContent, _ event: AccessEvent?) -> Outcome {
                .found(content, spelling: event?.supplied?.spelling, isSecret: event?.supplied?.isSecret)
            }
            let (result, event) = content(of: type)
            switch result {
            case .success(let value): return found(value, event)
            case .failure(let error):
                if let event, !event.hasFailure { return .absent(spelling: event.spelling) }
                for other in Self.types where other != type {
                    if case (.success(let value), let event) = content(of: other) { return found(value, event) }
                }
                return event == nil ? .absent(spelling: nil) : .failed(error, spelling: event?.spelling)
            }
        }
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    extension AccessEvent {
        /// Whether a provider failed.
        fileprivate var hasFailure: Bool {
            providerResults.contains { if case .failure = $0.result { true } else { false } }
        }

        /// The spellings of the key by the providers; nil if there is none.
        fileprivate var spelling: String? {
            var spellings: [String] = []
            for case .success(let result) in providerResults.map(\.result) where !spellings.contains(result.encodedKey)
            {
                spellings.append(result.encodedKey)
            }
            return spellings.isEmpty ? nil : spellings.joined(separator: " or ")
        }

        /// The spelling by the provider that supplied the value, and whether the value is secret.
        fileprivate var supplied: (spelling: String, isSecret: Bool)? {
            for case .success(let result) in providerResults.map(\.result) {
                if let value = result.value { return (result.encodedKey, value.isSecret) }
            }
            return nil
        }
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    extension ConfigSnapshotReader {
        /// Returns the content of a key; throws if it is absent, or if a provider cannot convert it to the type.
        fileprivate func content(
            of type: ConfigType, _ key: ConfigKey, isSecret: Bool, _ fileID: String, _ line: UInt
        ) throws -> ConfigContent {
            switch type {
            case .string: .string(try requiredString(forKey: key, isSecret: isSecret, fileID: fileID, line: line))
            case .int: .int(try requiredInt(forKey: key, isSecret: isSecret, fileID: fileID, line: line))
            case .double: .double(try requiredDouble(forKey: key, isSecret: isSecret, fileID: fileID, line: line))
            case .bool: .bool(try requiredBool(forKey: key, isSecret: isSecret, fileID: fileID, line: line))
            case .bytes: .bytes(try requiredBytes(forKey: key, isSecret: isSecret, fileID: fileID, line: line))
            case .stringArray:
                .stringArray(try requiredStringArray(forKey: key, isSecret: isSecret, fileID: fileID, line: line))
            case .intArray: .intArray(try requiredIntArray(forKey: key, isSecret: isSecret, fileID: fileID, line: line))
            case .doubleArray:
                .doubleArray(try requiredDoubleArray(forKey: key, isSecret: isSecret, fileID: fileID, line: line))
            case .boolArray:
                .boolArray(try requiredBoolArray(forKey: key, isSecret: isSecret, fileID: fileID, line: line))
            case .byteChunkArray:
                .byteChunkArray(try requiredByteChunkArray(forKey: key, isSecret: isSecret, fileID: fileID, line: line))
            }
        }
    }
#endif
