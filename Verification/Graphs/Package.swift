// swift-tools-version: 6.1
import PackageDescription

// The targets of this package build the sources of the library through symbolic links, so that `graphs` can build a copy with
// bugs in it. It links the shared library of Concurrency Kit, since nothing of it is deployed.
let package = Package(
    name: "Graphs",
    platforms: [.macOS(.v15)],
    targets: [
        .systemLibrary(
            name: "CConcurrencyKit",
            pkgConfig: "ck",
            providers: [.apt(["libck-dev"]), .yum(["ck-devel"]), .brew(["concurrencykit"])]),
        .target(
            name: "CRegistry",
            dependencies: ["CConcurrencyKit"],
            linkerSettings: [.linkedLibrary("ck")]),
        .target(name: "Hopoate", dependencies: ["CRegistry"]),
        .target(name: "CExecutor"),
        .executableTarget(name: "graphs", dependencies: ["CExecutor", "Hopoate"]),
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
