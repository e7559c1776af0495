// swift-tools-version: 6.1
import PackageDescription

// Built by `../fuzz`, which enables the sanitizers for this package and for the library, C sources included.
let package = Package(
    name: "Fuzz",
    platforms: [.macOS(.v11)],
    dependencies: [.package(name: "Hopoate", path: "../..")],
    targets: [
        .executableTarget(
            name: "Fuzz",
            dependencies: [.product(name: "Hopoate", package: "Hopoate")],
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .enableUpcomingFeature("InternalImportsByDefault"),
            ])
    ],
    swiftLanguageModes: [.v6]
)
