// swift-tools-version: 6.1
import PackageDescription

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

// The targets of this package build the sources of the library through symbolic links, so that `graphs` can build a copy with bugs
// in it. The code for Concurrency Kit is the same as in the manifest of the library, which explains it.
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

let package = Package(
    name: "Graphs",
    platforms: [.macOS(.v15)],
    targets: concurrencyKit + [
        .target(
            name: "CRegistry",
            dependencies: hasArchive ? [] : ["CConcurrencyKit"],
            linkerSettings: hasArchive ? [.linkedLibrary(":libck.a")] : []),
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
