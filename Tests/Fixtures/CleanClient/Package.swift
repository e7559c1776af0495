// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "CleanClient",
    platforms: [.macOS(.v11)],
    dependencies: [.package(name: "Hopoate", path: "../../..")],
    targets: [
        .executableTarget(
            name: "CleanClient",
            dependencies: [
                .product(name: "Hopoate", package: "Hopoate"), .product(name: "HopoateServer", package: "Hopoate"),
            ])
    ],
    swiftLanguageModes: [.v6]
)
