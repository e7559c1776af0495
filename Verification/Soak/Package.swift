// swift-tools-version: 6.1
import PackageDescription

// The heap's size, threads and random numbers are those of its neighbours, through symbolic links.
let package = Package(
    name: "Soak",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Hopoate", path: "../..")],
    targets: [
        .target(name: "CHeap"),
        .executableTarget(
            name: "Soak",
            dependencies: ["CHeap", .product(name: "Hopoate", package: "Hopoate")],
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .enableUpcomingFeature("InternalImportsByDefault"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
