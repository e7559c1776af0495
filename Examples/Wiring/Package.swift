// swift-tools-version: 6.1
import PackageDescription

// The dependencies are those of Examples/Shop, because both packages are built in one folder. A build of one removes packages that only
// the other one depends on.
let package = Package(
    name: "Wiring",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "Hopoate", path: "../..", traits: ["Configuration", "Hummingbird", "ServiceLifecycle"]),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.0.0", traits: []),
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.20.0"),
        .package(url: "https://github.com/groue/GRDB.swift.git", from: "7.0.0"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.80.0"),
        .package(url: "https://github.com/apple/swift-nio-extras.git", from: "1.20.0"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.4.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.6.0"),
    ],
    targets: [
        .target(
            name: "Components",
            dependencies: [
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]),
        .target(
            name: "ByHand",
            dependencies: [
                "Components",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]),
        .target(
            name: "ByContainer",
            dependencies: [
                "Components",
                .product(name: "Hopoate", package: "Hopoate"),
                .product(name: "HopoateServer", package: "Hopoate"),
                .product(name: "HopoateHummingbird", package: "Hopoate"),
                .product(name: "HopoateServiceLifecycle", package: "Hopoate"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]),
        .executableTarget(
            name: "Command",
            dependencies: [
                "ByContainer", "Components",
                .product(name: "HopoateServiceLifecycle", package: "Hopoate"),
                .product(name: "Logging", package: "swift-log"),
            ]),
        .target(name: "Stubs", dependencies: ["Components"], path: "Tests/Stubs"),
        .testTarget(
            name: "ByHandTests",
            dependencies: [
                "ByHand", "Components", "Stubs",
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
            ]),
        .testTarget(
            name: "ByContainerTests",
            dependencies: [
                "ByContainer", "Components", "Stubs",
                .product(name: "Hopoate", package: "Hopoate"),
            ]),
        // The tests of both services, over sockets.
        .testTarget(
            name: "WiringTests",
            dependencies: [
                "ByContainer", "ByHand", "Components",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "InMemoryLogging", package: "swift-log"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
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
