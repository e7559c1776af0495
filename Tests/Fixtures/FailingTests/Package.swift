// swift-tools-version: 6.1
import PackageDescription

// Tests that fail on purpose, which `.ci/failures` checks.
let package = Package(
    name: "FailingTests",
    platforms: [.macOS(.v11)],
    dependencies: [.package(name: "Hopoate", path: "../../..")],
    targets: [
        .testTarget(
            name: "FailingTests",
            dependencies: [
                .product(name: "Hopoate", package: "Hopoate"),
                .product(name: "HopoateTestingHelpers", package: "Hopoate"),
            ])
    ],
    swiftLanguageModes: [.v6]
)
