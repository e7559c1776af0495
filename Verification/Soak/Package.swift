// swift-tools-version: 6.1
import PackageDescription

// Heap measurement, threads and random numbers come from the neighbouring packages, through symbolic links.
let package = Package(
    name: "Soak",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Hopoate", path: "../..")],
    targets: [
        .target(name: "CHeap"),
        .executableTarget(
            name: "Soak",
            dependencies: [
                "CHeap", .product(name: "Hopoate", package: "Hopoate"),
                .product(name: "HopoateServer", package: "Hopoate"),
            ],
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .enableUpcomingFeature("InternalImportsByDefault"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
