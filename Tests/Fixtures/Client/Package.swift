// swift-tools-version: 6.1
import PackageDescription

// A package that depends on this one as a user's does: by URL and version, where unsafe flags would be refused. `.ci/client`
// fills in the URL, which is a clone of this checkout.
let package = Package(
    name: "Client",
    platforms: [.macOS(.v10_15)],
    products: [.library(name: "Plugin", type: .dynamic, targets: ["Plugin"])],
    dependencies: [.package(url: Context.environment["HOPOATE_URL"] ?? "", from: "0.0.1")],
    targets: [
        .executableTarget(name: "Client", dependencies: [.product(name: "Hopoate", package: "hopoate")]),
        .target(name: "Plugin", dependencies: [.product(name: "Hopoate", package: "hopoate")]),
        .testTarget(
            name: "ClientTests",
            dependencies: [
                "Plugin", .product(name: "Hopoate", package: "hopoate"),
                .product(name: "HopoateTestingHelpers", package: "hopoate"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
