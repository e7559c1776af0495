// swift-tools-version: 6.1
import PackageDescription

// Programs that use the library, release everything and exit. `.ci/leaks` checks them for leaks.
let package = Package(
    name: "LeakCheck",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Hopoate", path: "../../..")],
    targets: [
        .target(name: "CHeap"),
        .target(name: "Ledger", dependencies: [.product(name: "Hopoate", package: "Hopoate")]),
        // All functions, from several threads at once.
        .executableTarget(name: "LeakCheck", dependencies: ["CHeap", .product(name: "Hopoate", package: "Hopoate")]),
        // Each documented pattern, one after another.
        .executableTarget(
            name: "Patterns",
            dependencies: [
                "Ledger", .product(name: "Hopoate", package: "Hopoate"),
                .product(name: "HopoateServer", package: "Hopoate"),
            ]),
        // `.ci/leaks` copies this package and adds the sources of the following targets: the example,
        .target(
            name: "Checkout", dependencies: [.product(name: "Hopoate", package: "Hopoate")],
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .enableUpcomingFeature("InternalImportsByDefault"),
            ]),
        .executableTarget(
            name: "Example",
            dependencies: ["Checkout", "Ledger", .product(name: "Hopoate", package: "Hopoate")]),
        // and the snippets of the articles and doc comments.
        .executableTarget(
            name: "Snippets",
            dependencies: [
                "Ledger",
                .product(name: "Hopoate", package: "Hopoate"),
                .product(name: "HopoateServer", package: "Hopoate"),
                .product(name: "HopoateTestingHelpers", package: "Hopoate"),
            ],
            // Snippets may contain unused constants.
            swiftSettings: [.define("RUNNABLE"), .unsafeFlags(["-suppress-warnings"])]),
    ],
    swiftLanguageModes: [.v6]
)
