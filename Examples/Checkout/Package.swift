// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "Checkout",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "checkout", targets: ["CheckoutCommand"])
    ],
    dependencies: [
        // The name is given, because otherwise a package at a path is identified by the name of its folder, which depends on the
        // clone.
        .package(name: "Hopoate", path: "../..")
    ],
    targets: [
        .target(name: "Checkout", dependencies: [.product(name: "Hopoate", package: "Hopoate")]),
        .executableTarget(
            name: "CheckoutCommand", dependencies: ["Checkout", .product(name: "Hopoate", package: "Hopoate")]),
        .testTarget(
            name: "CheckoutTests",
            dependencies: [
                "Checkout",
                "CheckoutCommand",
                .product(name: "Hopoate", package: "Hopoate"),
                .product(name: "HopoateTestingHelpers", package: "Hopoate"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
    ]
}
