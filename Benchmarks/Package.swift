// swift-tools-version: 6.1
import PackageDescription

// A separate package for two reasons: users of the library never resolve or build it, and the library is measured from another
// package, as users see it.
let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Hopoate", path: "..")],
    targets: [
        .target(name: "CCounters"),
        .executableTarget(
            name: "benchmark",
            dependencies: [
                "CCounters", .product(name: "Hopoate", package: "Hopoate"),
                .product(name: "HopoateServer", package: "Hopoate"),
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
