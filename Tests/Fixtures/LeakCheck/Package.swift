// swift-tools-version: 6.1
import PackageDescription

// Programs that use the library, drop everything and end. `.ci/leaks` looks at what is left.
let package = Package(
    name: "LeakCheck",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Hopoate", path: "../../..")],
    targets: [
        .target(name: "CHeap"),
        .target(name: "Ledger", dependencies: [.product(name: "Hopoate", package: "Hopoate")]),
        // Everything at once, from several threads.
        .executableTarget(name: "LeakCheck", dependencies: ["CHeap", .product(name: "Hopoate", package: "Hopoate")]),
        // Each way of using it that the articles describe, one after another.
        .executableTarget(name: "Patterns", dependencies: ["Ledger", .product(name: "Hopoate", package: "Hopoate")]),
        // Below is what `.ci/leaks` completes in a copy of this package: with the sources of the example,
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
        // and with the snippets of the articles and comments.
        .executableTarget(
            name: "Snippets",
            dependencies: [
                "Ledger",
                .product(name: "Hopoate", package: "Hopoate"),
                .product(name: "HopoateTestingHelpers", package: "Hopoate"),
            ],
            // Snippets may leave a constant unused.
            swiftSettings: [.unsafeFlags(["-suppress-warnings"])]),
    ],
    swiftLanguageModes: [.v6]
)
