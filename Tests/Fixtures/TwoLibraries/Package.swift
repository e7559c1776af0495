// swift-tools-version: 6.1
import PackageDescription

// Two dynamic libraries, each with its own copy of Hopoate.
let package = Package(
    name: "TwoLibraries",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "First", type: .dynamic, targets: ["First"]),
        .library(name: "Second", type: .dynamic, targets: ["Second"]),
    ],
    dependencies: [.package(name: "Hopoate", path: "../../..")],
    targets: [
        .target(name: "First", dependencies: [.product(name: "Hopoate", package: "Hopoate")]),
        .target(name: "Second", dependencies: [.product(name: "Hopoate", package: "Hopoate")]),
    ],
    swiftLanguageModes: [.v6]
)
