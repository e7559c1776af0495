#if Configuration
    import Configuration
    import HopoateConfiguration
    import Testing

    /// The sources of a configuration: providers and readers.
    @Suite struct SourceTests {
        private let provider = EnvironmentVariablesProvider(environmentVariables: ["SHOP_PORT": "x", "SHOP_HOST": "h"])
        private let port = Setting<Int>.required("port")
        private let path = Setting<String>.required("path")

        private func keys(_ configuration: DependencyConfiguration) -> [String?] {
            let error = #expect(throws: DependencyConfigurationError.self) { try configuration.read(port, path) }
            return error?.problems.map(\.key) ?? []
        }

        @Test func keysAreSpelledAsTheProviderSpellsThem() {
            #expect(
                keys(DependencyConfiguration(providers: [provider]).scoped(to: "shop")) == ["SHOP_PORT", "SHOP_PATH"])
        }

        @Test func absentKeysAreSpelledForAllProviders() {
            let values = InMemoryProvider(values: [:])
            let configuration = DependencyConfiguration(providers: [provider, values]).scoped(to: "shop")
            #expect(keys(configuration) == ["SHOP_PORT", "SHOP_PATH or shop.path"])
        }

        @Test func theFirstProviderWithAValueDeterminesIt() throws {
            let values = InMemoryProvider(values: ["shop.host": "other", "shop.path": "/data"])
            let configuration = DependencyConfiguration(providers: [provider, values]).scoped(to: "shop")
            let (host, path) = try configuration.read(Setting<String>.required("host"), path)
            #expect(host == "h")
            #expect(path == "/data")
        }

        @Test func aReaderWithDiagnosticsShowsKeysAndValues() throws {
            let log = AccessLog()
            let reader = ConfigReader(provider: provider, accessReporter: ConfigurationDiagnostics(reportingTo: log))
            let configuration = DependencyConfiguration(reader.scoped(to: "shop"))
            #expect(try configuration.read(Setting<String>.required("host")) == "h")
            let found = messages { _ = try configuration.read(port, path) }
            #expect(found.first?.hasPrefix("SHOP_PORT is 'x'. Set it to a whole number. ") == true)
            #expect(found.last?.hasPrefix("SHOP_PATH is absent. ") == true)
            #expect(log.text.contains("SHOP_HOST"))
        }

        @Test func aReaderWithoutDiagnosticsNamesItsOwnKeysAndShowsNoValue() throws {
            let configuration = DependencyConfiguration(ConfigReader(provider: provider).scoped(to: "shop"))
            #expect(try configuration.read(Setting<String>.required("host")) == "h")
            let found = messages { _ = try configuration.read(port, path) }
            #expect(found.first?.hasPrefix("port is not accepted. Set it to a whole number. ") == true)
            #expect(found.last?.hasPrefix("path is absent. ") == true)
        }

        @Test func aConfigurationIsASnapshot() throws {
            let changing = MutableInMemoryProvider(initialValues: ["shop.host": "before"])
            let configuration: DependencyConfiguration = [changing]
            changing.setValue("after", forKey: "shop.host")
            #expect(try configuration.read(Setting<String>.required("shop.host")) == "before")
        }

        @Test func eventsOfOtherKeysDoNotChangeAnError() {
            let other = ConfigReader(provider: provider, accessReporter: ConfigurationDiagnostics())
            let configuration = DependencyConfiguration(
                providers: [provider], accessReporter: ReadingReporter(reader: other))
            let found = messages { _ = try configuration.scoped(to: "shop").read(port, path) }
            #expect(found.first?.hasPrefix("SHOP_PORT is 'x'. ") == true)
            #expect(found.last?.hasPrefix("SHOP_PATH is absent. ") == true)
        }

        @Test func concurrentReadsDoNotMixTheirErrors() async {
            let variables = Dictionary(uniqueKeysWithValues: (0..<32).map { ("KEY_\($0)", "text \($0)") })
            let configuration = environment(variables)
            await withTaskGroup(of: Bool.self) { group in
                for number in 0..<32 {
                    group.addTask {
                        (0..<50).allSatisfy { _ in
                            let found = messages {
                                _ = try configuration.read(Setting<Int>.required(ConfigKey("key.\(number)")))
                            }
                            return found.first?.hasPrefix("KEY_\(number) is 'text \(number)'. ") == true
                        }
                    }
                }
                for await isRight in group { #expect(isRight) }
            }
        }
    }

    /// An access reporter that reads another setting for each event, as a logger with a configurable level would.
    private struct ReadingReporter: AccessReporter {
        let reader: ConfigReader

        func report(_ event: AccessEvent) {
            _ = reader.string(forKey: "shop.host")
        }
    }
#endif
