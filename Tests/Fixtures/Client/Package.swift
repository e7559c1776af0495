// swift-tools-version: 6.1
import PackageDescription

// A client package that depends on this one by URL and version, which refuses unsafe flags. `.ci/client` sets the URL of a clone
// of this checkout.
let package = Package(
    name: "Client",
    platforms: [.macOS(.v11)],
    products: [.library(name: "Plugin", type: .dynamic, targets: ["Plugin"])],
    dependencies: [.package(url: Context.environment["HOPOATE_URL"] ?? "", from: "0.0.1")],
    targets: [
        .executableTarget(name: "Client", dependencies: [.product(name: "Hopoate", package: "hopoate")]),
        .executableTarget(name: "TopLevel", dependencies: [.product(name: "Hopoate", package: "hopoate")]),
        .target(name: "Plugin", dependencies: [.product(name: "Hopoate", package: "hopoate")]),
        .testTarget(
            name: "ClientTests",
            dependencies: [
                "Plugin", .product(name: "Hopoate", package: "hopoate"),
                .product(name: "HopoateTestingHelpers", package: "hopoate"),
            ]),
        .testTarget(
            name: "FormerImportTests",
            dependencies: [
                .product(name: "Hopoate", package: "hopoate"),
                .product(name: "HopoateTestingHelpersPackage", package: "hopoate"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
