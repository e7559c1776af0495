public import Configuration
import HopoateConfiguration
import Logging
public import ServiceLifecycle
import SystemPackage

/// Where the settings come from: the environment, and two files that are read again when they change.
public struct SettingsSources: Sendable {
    /// The settings.
    public let reader: ConfigReader
    /// The services that read the files again.
    public let files: [any Service]

    /// Opens the files that the environment names: `SETTINGS_FILE`, with JSON such as `{"payment": {"timeout": 2}}`, and
    /// `DATABASE_PASSWORD_FILE`, which has the password of the database and nothing else. A setting of the environment takes precedence over the files.
    ///
    /// - Parameters:
    ///   - environment: The environment.
    ///   - interval: The time between two looks at the files.
    /// - Throws: The error of a file that cannot be read, or `DependencyConfigurationError`.
    public static func open(
        _ environment: EnvironmentVariablesProvider = EnvironmentVariablesProvider(),
        every interval: Duration = .seconds(2)
    ) async throws -> SettingsSources {
        let paths: (settings: String?, password: String?) = try DependencyConfiguration(providers: [environment]).read(
            Setting.optional("settings.file"), Setting.optional("database.password.file"))
        var files: [any Service & ConfigProvider] = []
        if let path = paths.settings {
            files.append(
                try await ReloadingFileProvider<JSONSnapshot>(filePath: FilePath(path), pollInterval: interval))
        }
        if let path = paths.password {
            files.append(
                try await ReloadingFileProvider<PasswordFile>(filePath: FilePath(path), pollInterval: interval))
        }
        return SettingsSources(
            reader: ConfigReader(providers: [environment] + files, accessReporter: ConfigurationDiagnostics()),
            files: files)
    }
}

/// The contents of a file that has the password of the database and nothing else. Orchestrators mount secrets as such files.
private struct PasswordFile: FileConfigSnapshot {
    struct ParsingOptions: FileParsingOptions {
        static let `default` = ParsingOptions()
    }

    let providerName: String
    private let password: String

    init(data: RawSpan, providerName: String, parsingOptions: ParsingOptions) {
        self.providerName = providerName
        let text = data.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        password = String(text.prefix { !$0.isNewline })
    }

    func value(forKey key: AbsoluteConfigKey, type: ConfigType) -> LookupResult {
        LookupResult(
            encodedKey: "the contents of DATABASE_PASSWORD_FILE",
            value: key.components == ["database", "password"] ? ConfigValue(.string(password), isSecret: true) : nil)
    }

    var description: String { providerName }
    var debugDescription: String { providerName }
}
