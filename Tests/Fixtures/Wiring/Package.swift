// swift-tools-version: 6.1
import PackageDescription

// A program without mistakes in its wiring. Each condition `MISTAKE_n` of its sources plants one. Its test reads the file of check-wiring.
let package = Package(
    name: "Wiring",
    platforms: [.macOS(.v13)],
    products: [.executable(name: "app", targets: ["App"]), .executable(name: "tool", targets: ["Tool"])],
    dependencies: [.package(name: "Hopoate", path: "../../..")],
    targets: [
        .target(name: "Model", dependencies: [.product(name: "Hopoate", package: "Hopoate")]),
        .executableTarget(name: "App", dependencies: ["Model", .product(name: "Hopoate", package: "Hopoate")]),
        .executableTarget(name: "Tool", dependencies: [.product(name: "Hopoate", package: "Hopoate")]),
        .testTarget(
            name: "AppTests",
            dependencies: [
                "App", "Model", .product(name: "Hopoate", package: "Hopoate"),
                .product(name: "HopoateTestingHelpers", package: "Hopoate"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
