// swift-tools-version: 6.1
import PackageDescription

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

// The targets of this package build the sources of the library through symbolic links: the Swift sources unchanged, the C sources
// with hooks around them. The code for Concurrency Kit is the same as in the manifest of the library, which explains it.
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
    name: "Interleavings",
    platforms: [.macOS(.v15)],
    targets: concurrencyKit + [
        .target(name: "CScheduler"),
        .target(
            name: "CRegistry",
            dependencies: ["CScheduler"] + (hasArchive ? [] : ["CConcurrencyKit"]),
            exclude: ["library"],
            linkerSettings: hasArchive ? [.linkedLibrary(":libck.a")] : []),
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
