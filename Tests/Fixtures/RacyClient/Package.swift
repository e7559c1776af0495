// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "RacyClient",
    platforms: [.macOS(.v10_15)],
    dependencies: [.package(name: "Hopoate", path: "../../..")],
    targets: [
        .executableTarget(name: "RacyClient", dependencies: [.product(name: "Hopoate", package: "Hopoate")])
    ],
    swiftLanguageModes: [.v6]
)
