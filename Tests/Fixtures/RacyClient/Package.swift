// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "RacyClient",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Hopoate", path: "../../..")],
    targets: [
        .target(name: "Unordered"),
        .executableTarget(
            name: "RacyClient", dependencies: ["Unordered", .product(name: "Hopoate", package: "Hopoate")]),
    ],
    swiftLanguageModes: [.v6]
)
