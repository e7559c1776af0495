// swift-tools-version: 6.1
import PackageDescription

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

// Concurrency Kit comes from the system: `apt-get install libck-dev`, `brew install concurrencykit`.
//
// If its static archive is found, it is linked in, so that a deployed binary does not need the shared library. `-l:` selects the
// archive without unsafe flags, which would keep other packages from depending on this one. Otherwise pkg-config finds the shared
// library. If there is none, the package manager says which system package to install.
let archiveFolders = [
    "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib", "/usr/local/lib",
]
#if os(Linux)
    let hasArchive = archiveFolders.contains { access("\($0)/libck.a", R_OK) == 0 }
#else
    let hasArchive = false
#endif

let concurrencyKit: [Target] =
    hasArchive
    ? []
    : [
        .systemLibrary(
            name: "CConcurrencyKit",
            pkgConfig: "ck",
            providers: [.apt(["libck-dev"]), .yum(["ck-devel"]), .brew(["concurrencykit"])])
    ]

// Integrations with other packages. Each is a product of its own, behind a trait of its own. If no trait is enabled, the package
// manager does not even fetch the other packages. The library itself depends on no package.
struct Integration {
    let trait: String
    let description: String
    let products: KeyValuePairs<String, String>
    var testProducts: KeyValuePairs<String, String> = [:]
    /// Whether its tests are in this package. Otherwise they are in a package that uses the same other packages anyway.
    var isTestedHere = true
    /// Files of the target that are no sources.
    var excluded: [String] = []
    /// Whether it starts, stops, checks or changes servers.
    var usesServer = false
    /// Whether it has services for groups, if the trait ServiceLifecycle is enabled, too.
    var hasServices = false

    var target: String { "Hopoate\(trait)" }
    var dependencies: [Target.Dependency] {
        ["Hopoate"] + (usesServer ? ["HopoateServer"] : []) + behindTrait(products) + services
    }
    private var services: [Target.Dependency] {
        guard hasServices else { return [] }
        return [
            .product(
                name: "ServiceLifecycle", package: "swift-service-lifecycle",
                condition: .when(traits: ["ServiceLifecycle"]))
        ]
    }
    var testDependencies: [Target.Dependency] {
        ["Hopoate", "HopoateServer", .target(name: target)] + behindTrait(products) + behindTrait(testProducts)
    }

    private func behindTrait(_ products: KeyValuePairs<String, String>) -> [Target.Dependency] {
        products.map { .product(name: $0, package: $1, condition: .when(traits: [trait])) }
    }
}

// The package manager of Swift 6.1 fetches and links packages behind a trait even if it is not enabled. So with 6.1 there are no
// integrations.
#if compiler(>=6.2)
    let integrations = [
        Integration(
            trait: "ServiceLifecycle",
            description: "Runs services of a container as a group, and shuts the container down after them.",
            products: [
                "ServiceLifecycle": "swift-service-lifecycle", "UnixSignals": "swift-service-lifecycle",
                "Logging": "swift-log",
            ],
            testProducts: ["ServiceLifecycleTestKit": "swift-service-lifecycle", "InMemoryLogging": "swift-log"],
            usesServer: true),
        Integration(
            trait: "Logging", description: "Logs what a container hands out and creates.",
            products: ["Logging": "swift-log"], testProducts: ["InMemoryLogging": "swift-log"]),
        Integration(
            trait: "Metrics", description: "Counts and times what a container hands out and creates.",
            products: ["CoreMetrics": "swift-metrics"], testProducts: ["MetricsTestKit": "swift-metrics"]),
        Integration(
            trait: "Tracing", description: "Draws what a container creates into traces.",
            products: ["Tracing": "swift-distributed-tracing"],
            testProducts: ["InMemoryTracing": "swift-distributed-tracing"]),
        Integration(
            trait: "Hummingbird", description: "Gives each HTTP request of a Hummingbird server a container.",
            products: ["Hummingbird": "hummingbird", "Logging": "swift-log"], isTestedHere: false,
            usesServer: true),
        Integration(
            trait: "Configuration",
            description: "Creates modules from settings, reports all wrong settings at once, and follows changes.",
            products: ["Configuration": "swift-configuration"],
            testProducts: ["ServiceLifecycleTestKit": "swift-service-lifecycle"], usesServer: true, hasServices: true),
        Integration(
            trait: "GRPC", description: "Gives each RPC of a gRPC server a container, and answers health checks.",
            products: [
                "GRPCCore": "grpc-swift-2", "GRPCProtobuf": "grpc-swift-protobuf", "SwiftProtobuf": "swift-protobuf",
                "Logging": "swift-log",
            ],
            isTestedHere: false, excluded: ["Generated/health.proto"], usesServer: true),
    ]

    let integratedPackages: [Package.Dependency] = [
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0", traits: []),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0", traits: []),
        .package(url: "https://github.com/grpc/grpc-swift-2", from: "2.4.0"),
        .package(url: "https://github.com/grpc/grpc-swift-protobuf", from: "2.4.0"),
        .package(url: "https://github.com/apple/swift-protobuf", from: "1.38.0", traits: []),
    ]
#else
    let integrations: [Integration] = []
    let integratedPackages: [Package.Dependency] = []
#endif

let package = Package(
    name: "Hopoate",
    // The oldest version that all integrations can be built for.
    platforms: [.macOS(.v11)],
    products: [
        .library(name: "Hopoate", targets: ["Hopoate"]),
        .library(name: "HopoateServer", targets: ["HopoateServer"]),
        .library(name: "HopoateTestingHelpers", targets: ["HopoateTestingHelpers"]),
        .library(name: "HopoateTestingHelpersPackage", targets: ["HopoateTestingHelpersPackage"]),
        .plugin(name: "CheckWiring", targets: ["CheckWiring"]),
    ] + integrations.map { .library(name: $0.target, targets: [$0.target]) },
    traits: Set(integrations.map { .trait(name: $0.trait, description: $0.description) }).union([
        .default(enabledTraits: [])
    ]),
    dependencies: integratedPackages,
    targets: concurrencyKit + [
        .target(
            name: "CRegistry",
            dependencies: hasArchive ? [] : ["CConcurrencyKit"],
            linkerSettings: hasArchive ? [.linkedLibrary(":libck.a")] : []),
        .target(name: "Hopoate", dependencies: ["CRegistry"]),
        // For programs that run for long: start and stop within limits, health, snapshots, drawings.
        .target(name: "HopoateServer", dependencies: ["Hopoate"]),
        .target(name: "HopoateTestingHelpers", dependencies: ["Hopoate"]),
        // The same module under its name of Hopoate 1.
        .target(name: "HopoateTestingHelpersPackage", dependencies: ["HopoateTestingHelpers"]),
        // `swift package check-wiring`. No other target depends on these, so a client builds them only for that command.
        .executableTarget(name: "CheckWiringTool"),
        .plugin(
            name: "CheckWiring",
            capability: .command(
                intent: .custom(
                    verb: "check-wiring", description: "Check that all services that a program resolves are registered."
                )),
            dependencies: ["CheckWiringTool"]),
        .testTarget(name: "CheckWiringToolTests", dependencies: ["CheckWiringTool"]),
        .target(name: "CTorture", dependencies: ["CRegistry"], path: "Tests/CTorture"),
        .testTarget(name: "CRegistryTests", dependencies: ["CRegistry", "CTorture"]),
        // Some of these tests also compare services with their drawing, or end containers in each way that there is.
        .testTarget(
            name: "HopoateTests",
            dependencies: ["Hopoate", "HopoateServer", "HopoateTestingHelpers", "CRegistry", "CTorture"]),
        .testTarget(
            name: "HopoateServerTests", dependencies: ["Hopoate", "HopoateServer", "HopoateTestingHelpers", "CTorture"]),
        // The spellings of Hopoate 1, which the compiler warns of in the Swift 6 language mode.
        .testTarget(
            name: "Hopoate1Tests", dependencies: ["Hopoate", "HopoateTestingHelpers"],
            swiftSettings: [.swiftLanguageMode(.v5)]),
        .testTarget(
            name: "HopoateTestingHelpersTests", dependencies: ["Hopoate", "HopoateServer", "HopoateTestingHelpers"]),
        .testTarget(
            name: "HopoateTestingHelpersPackageTests", dependencies: ["Hopoate", "HopoateTestingHelpersPackage"]),
    ]
        + integrations.flatMap { integration -> [Target] in
            let target = Target.target(
                name: integration.target, dependencies: integration.dependencies, exclude: integration.excluded)
            // Tests of `HopoateHummingbird`: Examples/Shop/Tests/HopoateHummingbirdTests. Those of `HopoateGRPC`: Examples/Greeter/Tests.
            guard integration.isTestedHere else { return [target] }
            return [
                target, .testTarget(name: "\(integration.target)Tests", dependencies: integration.testDependencies),
            ]
        },
    swiftLanguageModes: [.v6]
)

for target in package.targets where target.type != .system && target.type != .plugin {
    target.swiftSettings =
        (target.swiftSettings ?? []) + [
            .enableUpcomingFeature("ExistentialAny"),
            .enableUpcomingFeature("MemberImportVisibility"),
            .enableUpcomingFeature("InternalImportsByDefault"),
        ]
}
