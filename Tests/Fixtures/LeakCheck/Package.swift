// swift-tools-version: 6.1
import PackageDescription

// A program that uses everything from several threads, drops it all and ends. `.ci/leaks` looks at what is left.
let package = Package(
    name: "LeakCheck",
    platforms: [.macOS(.v10_15)],
    dependencies: [.package(name: "Hopoate", path: "../../..")],
    targets: [
        .target(name: "CHeap"),
        .executableTarget(name: "LeakCheck", dependencies: ["CHeap", .product(name: "Hopoate", package: "Hopoate")]),
    ],
    swiftLanguageModes: [.v6]
)
