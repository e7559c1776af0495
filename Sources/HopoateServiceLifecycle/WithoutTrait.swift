// Without the trait nothing of this module exists. What stands in for it has its shapes, so that who forgot the trait reads
// which one, and not what else does not fit.
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
        ///   - container: As with the trait.
        ///   - services: As with the trait.
        ///   - warmUp: As with the trait.
        ///   - gracefulShutdownSignals: As with the trait.
        ///   - cancellationSignals: As with the trait.
        ///   - logger: As with the trait.
        public init(
            container: DependencyContainer = .shared, services: [DependencyService], warmUp: Bool = false,
            gracefulShutdownSignals: [Signal] = [], cancellationSignals: [Signal] = [], logger: Any? = nil
        ) {}

        /// Needs the trait.
        ///
        /// - Parameters:
        ///   - container: As with the trait.
        ///   - services: As with the trait.
        ///   - warmUp: As with the trait.
        ///   - configuration: As with the trait.
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
        ///   - type: As with the trait.
        ///   - name: As with the trait.
        ///   - successTerminationBehavior: As with the trait.
        ///   - failureTerminationBehavior: As with the trait.
        ///   - service: As with the trait.
        public init<Wanted>(
            _ type: Wanted.Type, named name: DependencyName? = nil,
            successTerminationBehavior: TerminationBehavior = .cancelGroup,
            failureTerminationBehavior: TerminationBehavior = .cancelGroup, service: (Wanted) throws -> Any = { $0 }
        ) {}
    }
#endif
