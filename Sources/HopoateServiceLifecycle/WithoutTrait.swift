// Without the trait, this module has no functionality. These stand-ins have the same declarations, so that a user who forgot the
// trait gets one error, which names it.
#if !ServiceLifecycle
    public import Hopoate

    /// Unavailable: enable the package trait with `.package(…, traits: ["ServiceLifecycle"])`.
    @available(
        *, unavailable,
        message: """
            Enable the trait 'ServiceLifecycle' of the package Hopoate: \
            .package(url: "https://github.com/hopoate/hopoate.git", from: "2.0.0", traits: ["ServiceLifecycle"])
            """
    )
    public struct DependencyServiceGroup: Sendable {
        /// Unavailable: enable the package trait `ServiceLifecycle`. Declared so that the compiler can name it.
        public enum Signal {
            case sigabrt, sighup, sigill, sigint, sigquit, sigsegv, sigterm, sigusr1, sigusr2, sigalrm
        }

        /// Unavailable: enable the package trait `ServiceLifecycle`. Declared so that the compiler can name it.
        @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
        public init(
            container: DependencyContainer = .shared, services: [DependencyService], warmUp: DependencyWarmUp = .none,
            drain: Duration = .zero, shutdownLimit: Duration? = nil, hookLimit: Duration? = nil,
            gracefulShutdownSignals: [Signal] = [],
            cancellationSignals: [Signal] = [], logger: Any? = nil
        ) {}

        /// Unavailable: enable the package trait `ServiceLifecycle`. Declared so that the compiler can name it.
        @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
        public init(
            container: DependencyContainer = .shared, services: [DependencyService], warmUp: DependencyWarmUp = .none,
            drain: Duration = .zero, shutdownLimit: Duration? = nil, hookLimit: Duration? = nil, configuration: Any
        ) {}

        /// Unavailable: enable the package trait `ServiceLifecycle`. Declared so that the compiler can name it.
        public func run() async throws {}

        /// Unavailable: enable the package trait `ServiceLifecycle`. Declared so that the compiler can name it.
        public func triggerGracefulShutdown() async {}
    }

    /// Unavailable: enable the package trait with `.package(…, traits: ["ServiceLifecycle"])`.
    @available(
        *, unavailable,
        message: """
            Enable the trait 'ServiceLifecycle' of the package Hopoate: \
            .package(url: "https://github.com/hopoate/hopoate.git", from: "2.0.0", traits: ["ServiceLifecycle"])
            """
    )
    public struct DependencyService: Sendable {
        /// Unavailable: enable the package trait `ServiceLifecycle`. Declared so that the compiler can name it.
        public enum TerminationBehavior {
            case cancelGroup, gracefullyShutdownGroup, ignore
        }

        /// Unavailable: enable the package trait `ServiceLifecycle`. Declared so that the compiler can name it.
        public enum Start {
            case beforeWarmUp, afterWarmUp
        }

        /// Unavailable: enable the package trait `ServiceLifecycle`. Declared so that the compiler can name it.
        public init<Wanted>(
            _ type: Wanted.Type, named name: DependencyName? = nil, starts start: Start = .beforeWarmUp,
            successTerminationBehavior: TerminationBehavior = .cancelGroup,
            failureTerminationBehavior: TerminationBehavior = .cancelGroup, service: (Wanted) throws -> Any = { $0 }
        ) {}

        /// Unavailable: enable the package trait `ServiceLifecycle`. Declared so that the compiler can name it.
        public init<Existing>(
            running service: Existing, starts start: Start = .beforeWarmUp,
            successTerminationBehavior: TerminationBehavior = .cancelGroup,
            failureTerminationBehavior: TerminationBehavior = .cancelGroup
        ) {}
    }

    /// Unavailable: enable the package trait with `.package(…, traits: ["ServiceLifecycle"])`.
    @available(
        *, unavailable,
        message: """
            Enable the trait 'ServiceLifecycle' of the package Hopoate: \
            .package(url: "https://github.com/hopoate/hopoate.git", from: "2.0.0", traits: ["ServiceLifecycle"])
            """
    )
    public struct DependencyWarmUp: Sendable, ExpressibleByBooleanLiteral {
        /// Unavailable: enable the package trait `ServiceLifecycle`. Declared so that the compiler can name it.
        public static var none: DependencyWarmUp { true }

        /// Unavailable: enable the package trait `ServiceLifecycle`. Declared so that the compiler can name it.
        public static var beforeRunning: DependencyWarmUp { true }

        /// Unavailable: enable the package trait `ServiceLifecycle`. Declared so that the compiler can name it.
        @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
        public static func whileRunning(limit: Duration?, width: Int = 8) -> DependencyWarmUp { true }

        /// Unavailable: enable the package trait `ServiceLifecycle`. Declared so that the compiler can name it.
        public init(booleanLiteral value: Bool) {}
    }
#endif
