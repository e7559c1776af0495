#if Configuration
    import Configuration
    import Hopoate
    import HopoateServer
    import HopoateConfiguration
    import Testing

    private let password = "hunter2-correct-horse"

    private struct Broken: Error {
        let token: Secret<String>
    }

    private struct Client: Sendable {
        let token: Secret<String>
    }

    private struct NumberModule: DependencyModule, Configurable {
        let pin: Int
        init(configuration: DependencyConfiguration) throws {
            pin = try configuration.read(.required("pin", isSecret: true))
        }
    }

    private struct PlainModule: DependencyModule, Configurable {
        let pin: Int
        init(configuration: DependencyConfiguration) throws {
            pin = try configuration.read(.required("pin", in: 1...9))
        }
    }

    /// A provider whose errors quote the value.
    private struct TalkativeProvider: ConfigProvider, ConfigSnapshot {
        struct Failure: Error, CustomStringConvertible {
            let description = "cannot decrypt \(password)"
        }
        let providerName = "TalkativeProvider"

        func value(forKey key: AbsoluteConfigKey, type: ConfigType) throws -> LookupResult { throw Failure() }
        func fetchValue(forKey key: AbsoluteConfigKey, type: ConfigType) async throws -> LookupResult {
            try value(forKey: key, type: type)
        }
        nonisolated(nonsending) func watchValue<Return: ~Copyable>(
            forKey key: AbsoluteConfigKey, type: ConfigType,
            updatesHandler:
                nonisolated(nonsending) (ConfigUpdatesAsyncSequence<Result<LookupResult, any Error>, Never>)
                async throws -> Return
        ) async throws -> Return {
            try await watchValueFromValue(forKey: key, type: type, updatesHandler: updatesHandler)
        }
        func snapshot() -> any ConfigSnapshot { self }
        nonisolated(nonsending) func watchSnapshot<Return: ~Copyable>(
            updatesHandler:
                nonisolated(nonsending) (ConfigUpdatesAsyncSequence<any ConfigSnapshot, Never>) async throws -> Return
        ) async throws -> Return {
            try await watchSnapshotFromSnapshot(updatesHandler: updatesHandler)
        }
    }

    /// Secrets in errors, access logs, descriptions and the container.
    @Suite struct SecretTests {
        private let container = DependencyContainer()
        private let log = AccessLog()

        private func configuration(_ variables: [String: String], secrets: Set<String> = []) -> DependencyConfiguration
        {
            let provider = EnvironmentVariablesProvider(
                environmentVariables: variables, secretsSpecifier: .specific(secrets))
            return DependencyConfiguration(providers: [provider], accessReporter: log)
        }

        private func dumped(_ value: some Any) -> String {
            var text = ""
            dump(value, to: &text)
            return text
        }

        @Test func descriptionsAndMirrorsOfASecretAreRedacted() {
            let secret = Secret(password)
            for text in ["\(secret)", String(describing: secret), String(reflecting: secret)] {
                #expect(text == "<redacted>")
            }
            #expect(Mirror(reflecting: secret).children.isEmpty)
            for text in [dumped(secret), dumped(Client(token: secret)), "\(Client(token: secret))", "\([secret])"] {
                #expect(text.contains("<redacted>"))
                #expect(!text.contains(password))
            }
            #expect(secret.exposed == password)
        }

        @Test func secretSettingsAreRedactedInErrorsAndAccessLogs() {
            let error = #expect(throws: DependencyConfigurationError.self) {
                try container.install(NumberModule.self, configuration: configuration(["PIN": password]))
            }
            #expect(
                error?.description.hasPrefix("PIN is not accepted, and its value is secret. Set it to a whole number. ")
                    == true)
            #expect(error?.problems.first?.isSecret == true)
            #expect(error?.problems.first?.text == nil)
            #expect(!dumped(error as Any).contains(password))
            #expect(log.text.contains("PIN"))
            #expect(!log.text.contains(password))
        }

        @Test func valuesOfTheTypeSecretAreSecretWithoutAFlag() throws {
            let secret = Secret(password)
            let values = configuration(["A": password, "B": password, "C": password, "D": password])
            let (a, b, c, d) = try values.read(
                Setting<Secret<String>>.required("a"), Setting<Secret<String>?>.optional("b"),
                Setting<Secret<String>>.optional("c", default: Secret("x")),
                Setting<Secret<String>>.required("d", expecting: "any text") { Secret($0) })
            #expect([a, b, c, d] == [secret, secret, secret, secret])
            #expect(log.text.split(separator: "\n").count == 4)
            #expect(!log.text.contains(password))
            let found = messages {
                _ = try values.read(
                    Setting<Secret<Int>>.required("a"), Setting<Secret<Int>?>.optional("b"),
                    Setting<Secret<Int>>.required("c", expecting: "a number") { Int($0).map { Secret($0) } },
                    Setting<Secret<Int>?>.optional("d", expecting: "a number") { Int($0).map { Secret($0) } })
            }
            #expect(found.count == 4)
            #expect(found.allSatisfy { !$0.contains(password) })
            #expect(!log.text.contains(password))
        }

        @Test func defaultsOfSecretsAreNotLogged() throws {
            let value = try configuration([:]).read(Setting<String>.optional("a", default: password, isSecret: true))
            #expect(value == password)
            #expect(!log.text.contains(password))
            #expect(!dumped(Setting<String>.optional("a", default: password)).contains(password))
        }

        @Test func valuesThatAProviderMarksAsSecretAreRedacted() {
            for text in [password, "10"] {
                let error = #expect(throws: DependencyConfigurationError.self) {
                    try container.install(
                        PlainModule.self, configuration: configuration(["PIN": text], secrets: ["PIN"]))
                }
                #expect(error?.problems.first?.text == nil)
                #expect(error?.description.contains("'\(text)'") == false)
                #expect(error?.description.hasPrefix("PIN is not accepted, and its value is secret. ") == true)
            }
            #expect(!log.text.contains(password))
        }

        @Test func errorsOfProvidersAreLeftOutForSecrets() {
            let configuration = DependencyConfiguration(providers: [TalkativeProvider()])
            let secret = #expect(throws: DependencyConfigurationError.self) {
                try configuration.read(Setting<Secret<String>>.required("token"))
            }
            #expect(secret?.description.hasPrefix("token cannot be read. Repair its provider. It is read at ") == true)
            #expect(!dumped(secret as Any).contains(password))
            let plain = #expect(throws: DependencyConfigurationError.self) {
                try configuration.read(Setting<String>.required("token"))
            }
            #expect(plain?.description.hasPrefix("token cannot be read: cannot decrypt \(password). ") == true)
            #expect(plain?.problems.first?.underlying is TalkativeProvider.Failure)
        }

        @Test func noDescriptionOfAConfigurationShowsItsValues() {
            let values = configuration(["TOKEN": password])
            for text in ["\(values)", String(reflecting: values), dumped(values), dumped([values])] {
                #expect(!text.contains(password))
            }
        }

        @Test func theContainerShowsNoSecret() throws {
            container.recordCreations()
            try container.install(PaymentModule.self, configuration: configuration(["PAYMENT_TOKEN": password]))
            container.register(Client.self) { Client(token: $0.resolve()) }
            container.register(Int.self) { container in throw Broken(token: container.resolve()) }
            #expect(container.resolve(Client.self).token.exposed == password)
            let error = #expect(throws: DependencyError.self) { try container.require(Int.self) }
            #expect(error?.description.contains("<redacted>") == true)
            let snapshot = container.snapshot()
            #expect(snapshot.registrations.contains { $0.creations?.count == 1 && $0.service.hasSuffix("Client") })
            let texts = [
                snapshot.json, dumped(snapshot), "\(try container.validate())", "\(container.explain(Client.self))",
                "\(container.explain(Secret<String>.self))",
                container.graph().dot, container.graph().mermaid, "\(container.registrations)", "\(container)",
                dumped(container.registrations), error?.description ?? "", dumped(error as Any), log.text,
            ]
            for text in texts {
                #expect(!text.contains(password))
            }
        }
    }
#endif
