#if Configuration
    public import Configuration
    public import Hopoate
    public import HopoateServer
    import Synchronization

    #if ServiceLifecycle
        public import ServiceLifecycle
    #endif

    /// Follows the settings of modules: replaces the services of a module when its settings change, while the program serves.
    ///
    /// ```swift
    /// import Configuration
    /// import HopoateConfiguration
    ///
    /// struct PaymentModule: DependencyModule, Configurable, Equatable {
    ///     static let configurationKey: ConfigKey = "payment"
    ///     let token: Secret<String>
    ///     init(configuration: DependencyConfiguration) throws {
    ///         token = try configuration.read(.required("token"))
    ///     }
    ///     func register(in container: DependencyContainer) {
    ///         container.register(token, for: Secret<String>.self)
    ///     }
    /// }
    /// let app = DependencyContainer.allowingCommits { error in print(error) }
    /// let settings = MutableInMemoryProvider(initialValues: ["payment.token": "old"])
    /// let reader = ConfigReader(provider: settings, accessReporter: ConfigurationDiagnostics())
    /// let reload = try app.install(PaymentModule.self, following: reader) { change in print(change) }
    /// try await reload.run()
    /// ```
    ///
    /// With the trait `ServiceLifecycle`, it is a `Service`: add it to the services of a `DependencyServiceGroup`, beside those that reload
    /// files.
    ///
    /// - Note: Concurrency. Thread-safe. Run it once at a time.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    public final class DependencyReload: Sendable {
        typealias Module = DependencyModule & Equatable & Sendable

        private let container: DependencyContainer
        private let reader: ConfigReader
        private let retryInterval: Duration
        private let place: (fileID: StaticString, line: UInt)
        private let read: @Sendable (DependencyConfiguration) throws -> [any Module]
        private let onChange: @Sendable (Result<DependencyCommit, any Error>) async -> Void
        private let installations: [Installation]
        /// The modules that are installed.
        private let modules: Mutex<[any Module]>

        fileprivate init(
            _ container: DependencyContainer, _ reader: ConfigReader, _ retryInterval: Duration,
            _ fileID: StaticString, _ line: UInt,
            _ read: @escaping @Sendable (DependencyConfiguration) throws -> [any Module],
            _ onChange: @escaping @Sendable (Result<DependencyCommit, any Error>) async -> Void
        ) throws {
            guard container.allowsCommits else { throw DependencyCommitError(.notAllowed, "\(fileID):\(line)") }
            let modules = try read(DependencyConfiguration(reader))
            self.modules = Mutex(modules)
            var installations: [Installation] = []
            do {
                for module in modules { installations.append(try container.install(module)) }
            } catch {
                for installation in installations.reversed() { container.uninstall(installation) }
                throw error
            }
            self.installations = installations
            (self.container, self.reader, self.retryInterval) = (container, reader, retryInterval)
            (place, self.read, self.onChange) = ((fileID, line), read, onChange)
        }

        /// Follows the settings until the task is cancelled; in a service group, until it shuts down.
        ///
        /// Begins with the state of the providers at the time of the call. So a change since the install is not missed.
        ///
        /// - Throws: ``DependencyReloadError`` at the beginning, if a change would remove registrations of other modules. The error of a
        ///   provider that cannot be watched.
        /// - Complexity: For each state of the providers, that of reading the settings; for each change, that of a commit.
        public func run() async throws {
            #if ServiceLifecycle
                try await cancelWhenGracefulShutdown { try await self.follow() }
            #else
                try await follow()
            #endif
        }

        private func follow() async throws {
            let shared = installations.flatMap(\.sharedServices).filter {
                $0 != ServiceIdentity(DependencyHealthCheck.self)
            }
            if !shared.isEmpty { throw DependencyReloadError(Set(shared.map(\.description)).sorted(), place) }
            let newest = NewestSnapshot()
            let (turns, turn) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
            try await reader.watchSnapshot { snapshots in
                await withDiscardingTaskGroup { group in
                    group.addTask {
                        for await snapshot in snapshots {
                            newest.set(snapshot)
                            turn.yield()
                        }
                        turn.finish()
                    }
                    for await _ in turns {
                        guard let (snapshot, number) = newest.take(), await !self.apply(snapshot) else { continue }
                        group.addTask {
                            do { try await Task.sleep(for: self.retryInterval) } catch { return }
                            newest.offerAgain(number)
                            turn.yield()
                        }
                    }
                    group.cancelAll()
                }
            }
        }

        /// Installs modules once more, in one commit, if their settings differ from those of the installed modules.
        ///
        /// - Returns: Whether that need not be tried again with the same snapshot.
        private func apply(_ snapshot: ConfigSnapshotReader) async -> Bool {
            let installed = modules.withLock { $0 }
            let modules: [any Module]
            do {
                modules = try read(DependencyConfiguration(snapshot))
            } catch {
                await onChange(.failure(error))
                return true
            }
            let changed = zip(modules, installed).compactMap { new, old in isEqual(new, old) ? nil : new }
            if changed.isEmpty { return true }
            do {
                let commit = try await container.commit(
                    rebuildingDependents: true, fileID: place.fileID, line: place.line
                ) { next in
                    for module in changed { try next.install(module) }
                }
                self.modules.withLock { $0 = modules }
                await onChange(.success(commit))
                return true
            } catch {
                // A creation that was cancelled with this task is no failure.
                if Task.isCancelled { return true }
                await onChange(.failure(error))
                return (error as? DependencyCommitError)?.reason == .shutDown
            }
        }

        private func isEqual(_ module: any Module, _ other: any Module) -> Bool {
            func isEqual<One: Equatable>(_ module: One) -> Bool { module == other as? One }
            return isEqual(module)
        }
    }

    #if ServiceLifecycle
        @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
        extension DependencyReload: Service {}
    #endif

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    extension DependencyContainer {
        /// Installs modules that follow their settings.
        ///
        /// The modules are created from the configuration, if all settings are valid. The returned ``DependencyReload`` replaces their services
        /// when the settings change.
        ///
        /// ```swift
        /// import Configuration
        /// import HopoateConfiguration
        ///
        /// struct LimitModule: DependencyModule, Configurable, Equatable {
        ///     let requests: Int
        ///     init(configuration: DependencyConfiguration) throws {
        ///         requests = try configuration.read(.optional("request.limit", default: 256, in: 1...10_000))
        ///     }
        ///     func register(in container: DependencyContainer) { container.register(requests, for: Int.self) }
        /// }
        /// let app = DependencyContainer.allowingCommits { error in print(error) }
        /// let reader = ConfigReader(
        ///     provider: EnvironmentVariablesProvider(), accessReporter: ConfigurationDiagnostics())
        /// let reload = try app.install(LimitModule.self, following: reader) { change in
        ///     switch change {
        ///     case .success(let commit): print(commit)
        ///     case .failure(let error): print("The settings stay as they are: \(error)")
        ///     }
        /// }
        /// print(reload)
        /// ```
        ///
        /// While ``DependencyReload/run()`` runs, each new state of the providers is read as a whole:
        ///
        /// - If a setting of any of the modules is wrong, nothing changes. The closure gets a ``DependencyConfigurationError`` with all of them.
        /// - Otherwise the modules that are not equal to the installed ones are installed once more, in one `commit` that rebuilds dependents. A
        ///   request keeps the services that it began with. The closure gets the result.
        /// - If the commit fails, for example because a database refuses a new password, nothing changes either. The closure gets the error,
        ///   and the same settings are tried again after `retryInterval`, until they change.
        ///
        /// A registration that only the old module makes stays. So register the same services with all settings.
        ///
        /// - Parameters:
        ///   - modules: The types of the modules. Two modules are equal if a change from one to the other needs no new services.
        ///   - reader: The reader, with providers that notice changes, such as a `ReloadingFileProvider`.
        ///   - retryInterval: The time after which a commit that has failed is tried again.
        ///   - onChange: Gets the outcome of each change. It is not called for a state that changes no module.
        /// - Returns: A service that follows the settings when it runs.
        /// - Throws: ``DependencyConfigurationError`` with the problems of all modules, before anything is registered; `DependencyCommitError`
        ///   if the container was not made by `allowingCommits`. Otherwise the errors of `install(_:)`.
        /// - Complexity: That of reading the settings, and that of `install(_:)`.
        public func install<each Module: DependencyModule & Configurable & Equatable & Sendable>(
            _ modules: repeat (each Module).Type, following reader: ConfigReader,
            retryInterval: Duration = .seconds(10), fileID: StaticString = #fileID, line: UInt = #line,
            onChange: @escaping @Sendable (Result<DependencyCommit, any Error>) async -> Void
        ) throws -> DependencyReload {
            try DependencyReload(
                self, reader, retryInterval, fileID, line,
                { configuration in
                    let created = try configuration.read(repeat each modules)
                    var list: [any DependencyReload.Module] = []
                    for module in repeat each created { list.append(module) }
                    return list
                }, onChange)
        }
    }

    /// Services that modules which follow their settings share with other modules.
    ///
    /// - Note: Concurrency. Immutable and thread-safe.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    public struct DependencyReloadError: Error, Sendable, CustomStringConvertible {
        /// The services, with their names if they have some.
        public let services: [String]
        private let place: String

        fileprivate init(_ services: [String], _ place: (fileID: StaticString, line: UInt)) {
            self.services = services
            self.place = "\(place.fileID):\(place.line)"
        }

        /// The services, the place of the install, and the remedy.
        ///
        /// - Complexity: O(n).
        public var description: String {
            """
            Cannot follow the settings of the modules installed at \(place): other modules also register \
            \(services.map { "'\($0)'" }.joined(separator: ", ")). A change of the settings would remove their registrations. \
            Register the service under a name, or in a module that follows no settings.
            """
        }
    }

    /// The newest state of the providers.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    private final class NewestSnapshot: Sendable {
        private struct Contents {
            var snapshot: ConfigSnapshotReader?
            var number = 0
            /// Whether it waits for its turn.
            var isPending = false
        }

        private let contents = Mutex(Contents())

        func set(_ snapshot: ConfigSnapshotReader) {
            contents.withLock { $0 = Contents(snapshot: snapshot, number: $0.number + 1, isPending: true) }
        }

        /// Takes the snapshot, unless it was taken before.
        func take() -> (snapshot: ConfigSnapshotReader, number: Int)? {
            contents.withLock { contents in
                guard contents.isPending, let snapshot = contents.snapshot else { return nil }
                contents.isPending = false
                return (snapshot, contents.number)
            }
        }

        /// Lets a snapshot be taken once more, if it is still the newest one.
        func offerAgain(_ number: Int) {
            contents.withLock { if $0.number == number { $0.isPending = true } }
        }
    }
#endif
