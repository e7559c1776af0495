// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "Scaling",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Hopoate", path: "../..")],
    targets: [
        .target(name: "CScaling"),
        .executableTarget(
            name: "scaling",
            dependencies: [
                "CScaling", .product(name: "Hopoate", package: "Hopoate"),
                .product(name: "HopoateServer", package: "Hopoate"),
            ],
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .enableUpcomingFeature("InternalImportsByDefault"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
