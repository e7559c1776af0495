// swift-tools-version: 6.1
import PackageDescription

// A package of its own, so that whoever uses the library never resolves or builds any of this, and so that everything is
// measured from where users are: another package than the library's.
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
