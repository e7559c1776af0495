// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "Shortener",
    dependencies: [
        .package(url: "https://github.com/hopoate/hopoate.git", from: "2.0.0")
    ],
    targets: [
        .executableTarget(
            name: "Shortener",
            dependencies: [.product(name: "Hopoate", package: "Hopoate")])
    ]
)
