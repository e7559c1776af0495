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
// Where its archive is found, it is linked in, and a deployed binary does not need the shared library. `-l:` is the only way
// to ask for the archive without unsafe flags, with which no package could depend on this one. Else pkg-config says where the
// shared library is, and the package manager says what to install where there is none.
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
    name: "Hopoate",
    platforms: [.macOS(.v10_15), .iOS(.v13), .tvOS(.v13), .watchOS(.v6)],
    products: [
        .library(name: "Hopoate", targets: ["Hopoate"]),
        .library(name: "HopoateTestingHelpers", targets: ["HopoateTestingHelpers"]),
    ],
    targets: concurrencyKit + [
        .target(
            name: "CRegistry",
            dependencies: hasArchive ? [] : ["CConcurrencyKit"],
            linkerSettings: hasArchive ? [.linkedLibrary(":libck.a")] : []),
        .target(name: "Hopoate", dependencies: ["CRegistry"]),
        .target(name: "HopoateTestingHelpers", dependencies: ["Hopoate"]),
        .target(name: "CTorture", dependencies: ["CRegistry"], path: "Tests/CTorture"),
        .testTarget(name: "CRegistryTests", dependencies: ["CRegistry", "CTorture"]),
        .testTarget(name: "HopoateTests", dependencies: ["Hopoate", "HopoateTestingHelpers", "CRegistry"]),
        .testTarget(name: "HopoateTestingHelpersTests", dependencies: ["Hopoate", "HopoateTestingHelpers"]),
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
