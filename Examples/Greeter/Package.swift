// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "Greeter",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "greeter", targets: ["GreeterCommand"]),
        .library(name: "Greeter", targets: ["Greeter"]),
    ],
    dependencies: [
        // By its path in this repository. In a service of your own, require a version instead.
        .package(name: "Hopoate", path: "../..", traits: ["GRPC", "ServiceLifecycle"]),
        .package(url: "https://github.com/grpc/grpc-swift-2.git", from: "2.4.0"),
        .package(url: "https://github.com/grpc/grpc-swift-nio-transport.git", from: "2.9.0"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.6.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.6.0"),
    ],
    targets: [
        .target(
            name: "Greeter",
            dependencies: [
                .product(name: "Hopoate", package: "Hopoate"),
                .product(name: "HopoateServer", package: "Hopoate"),
                .product(name: "HopoateGRPC", package: "Hopoate"),
                .product(name: "GRPCCore", package: "grpc-swift-2"),
                .product(name: "GRPCNIOTransportHTTP2Posix", package: "grpc-swift-nio-transport"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]),
        .executableTarget(
            name: "GreeterCommand",
            dependencies: [
                "Greeter",
                .product(name: "Hopoate", package: "Hopoate"),
                .product(name: "HopoateServiceLifecycle", package: "Hopoate"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ]),
        .testTarget(
            name: "GreeterTests",
            dependencies: [
                "Greeter",
                .product(name: "Hopoate", package: "Hopoate"),
                .product(name: "HopoateServiceLifecycle", package: "Hopoate"),
                .product(name: "GRPCCore", package: "grpc-swift-2"),
                .product(name: "GRPCNIOTransportHTTP2Posix", package: "grpc-swift-nio-transport"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]),
        // The tests of the product of Hopoate for servers like this one.
        .testTarget(
            name: "HopoateGRPCTests",
            dependencies: [
                .product(name: "Hopoate", package: "Hopoate"),
                .product(name: "HopoateServer", package: "Hopoate"),
                .product(name: "HopoateGRPC", package: "Hopoate"),
                .product(name: "GRPCCore", package: "grpc-swift-2"),
                .product(name: "GRPCNIOTransportHTTP2Posix", package: "grpc-swift-nio-transport"),
                .product(name: "InMemoryLogging", package: "swift-log"),
                .product(name: "Logging", package: "swift-log"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
    ]
}
