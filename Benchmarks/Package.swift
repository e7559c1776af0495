// swift-tools-version: 6.1
import PackageDescription

// A separate package, so that users of the library never resolve or build it, and so that it measures the library from another
// package, as users call it.
let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Hopoate", path: "..")],
    targets: [
        .target(name: "CCounters"),
        .executableTarget(
            name: "benchmark",
            dependencies: ["CCounters", .product(name: "Hopoate", package: "Hopoate")]),
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
