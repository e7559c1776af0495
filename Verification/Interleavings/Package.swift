// swift-tools-version: 6.1
import PackageDescription

// The targets of this package build the sources of the library through symbolic links: the Swift sources unchanged, the C sources
// with hooks around them. It links the shared library of Concurrency Kit, since nothing of it is deployed.
let package = Package(
    name: "Interleavings",
    platforms: [.macOS(.v15)],
    targets: [
        .systemLibrary(
            name: "CConcurrencyKit",
            pkgConfig: "ck",
            providers: [.apt(["libck-dev"]), .yum(["ck-devel"]), .brew(["concurrencykit"])]),
        .target(name: "CScheduler"),
        .target(
            name: "CRegistry",
            dependencies: ["CConcurrencyKit", "CScheduler"],
            exclude: ["library"],
            linkerSettings: [.linkedLibrary("ck")]),
        .target(name: "Hopoate", dependencies: ["CRegistry"]),
        .executableTarget(name: "interleavings", dependencies: ["CScheduler", "Hopoate"]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets where target.type != .system {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
    ]
}
