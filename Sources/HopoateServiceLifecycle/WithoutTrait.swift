// Without the trait, this module has no functionality. These stand-ins have the same declarations, so that a user who forgot the
// trait gets one error, which names it.
#if !ServiceLifecycle
    public import Hopoate

    /// Needs the trait `ServiceLifecycle`.
    @available(
        *, unavailable,
        message: """
            Enable the trait 'ServiceLifecycle' of the package Hopoate: \
            .package(url: "https://github.com/hopoate/hopoate.git", from: "2.0.0", traits: ["ServiceLifecycle"])
            """
    )
    public struct DependencyServiceGroup: Sendable {
        /// Needs the trait.
        public enum Signal {
            case sigabrt, sighup, sigill, sigint, sigquit, sigsegv, sigterm, sigusr1, sigusr2, sigalrm
        }

        /// Needs the trait.
        ///
        /// - Parameters:
        ///   - container: See the declaration with the trait.
        ///   - services: See the declaration with the trait.
        ///   - warmUp: See the declaration with the trait.
        ///   - gracefulShutdownSignals: See the declaration with the trait.
        ///   - cancellationSignals: See the declaration with the trait.
        ///   - logger: See the declaration with the trait.
        public init(
            container: DependencyContainer = .shared, services: [DependencyService], warmUp: Bool = false,
            gracefulShutdownSignals: [Signal] = [], cancellationSignals: [Signal] = [], logger: Any? = nil
        ) {}

        /// Needs the trait.
        ///
        /// - Parameters:
        ///   - container: See the declaration with the trait.
        ///   - services: See the declaration with the trait.
        ///   - warmUp: See the declaration with the trait.
        ///   - configuration: See the declaration with the trait.
        public init(
            container: DependencyContainer = .shared, services: [DependencyService], warmUp: Bool = false,
            configuration: Any
        ) {}

        /// Needs the trait.
        public func run() async throws {}

        /// Needs the trait.
        public func triggerGracefulShutdown() async {}
    }

    /// Needs the trait `ServiceLifecycle`.
    @available(
        *, unavailable,
        message: """
            Enable the trait 'ServiceLifecycle' of the package Hopoate: \
            .package(url: "https://github.com/hopoate/hopoate.git", from: "2.0.0", traits: ["ServiceLifecycle"])
            """
    )
    public struct DependencyService: Sendable {
        /// Needs the trait.
        public enum TerminationBehavior {
            case cancelGroup, gracefullyShutdownGroup, ignore
        }

        /// Needs the trait.
        ///
        /// - Parameters:
        ///   - type: See the declaration with the trait.
        ///   - name: See the declaration with the trait.
        ///   - successTerminationBehavior: See the declaration with the trait.
        ///   - failureTerminationBehavior: See the declaration with the trait.
        ///   - service: See the declaration with the trait.
        public init<Wanted>(
            _ type: Wanted.Type, named name: DependencyName? = nil,
            successTerminationBehavior: TerminationBehavior = .cancelGroup,
            failureTerminationBehavior: TerminationBehavior = .cancelGroup, service: (Wanted) throws -> Any = { $0 }
        ) {}
    }
#endif
