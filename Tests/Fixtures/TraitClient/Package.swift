// swift-tools-version: 6.1
import PackageDescription

// A package that depends on this one with the trait that `.ci/traits` names in the environment, or with none, and on nothing
// else that the trait would not bring.
let trait = Context.environment["HOPOATE_TRAIT"] ?? ""
let isEnabled = Context.environment["HOPOATE_FORGOTTEN"] == nil
let client = "\(trait.isEmpty ? "Plain" : trait)Client"

let packages: [String: (url: String, version: Version, products: [String])] = [
    "ServiceLifecycle": (
        "https://github.com/swift-server/swift-service-lifecycle", "2.0.0", ["ServiceLifecycle", "UnixSignals"]
    ),
    "Logging": ("https://github.com/apple/swift-log", "1.0.0", ["Logging"]),
    "Metrics": ("https://github.com/apple/swift-metrics", "2.0.0", ["MetricsTestKit"]),
    "Tracing": ("https://github.com/apple/swift-distributed-tracing", "1.0.0", ["InMemoryTracing"]),
]
let used = isEnabled ? packages[trait] : nil
let usedName = used?.url.split(separator: "/").last.map { String($0) } ?? ""

let package = Package(
    name: "TraitClient",
    platforms: [.macOS(.v10_15)],
    dependencies: [
        .package(
            url: Context.environment["HOPOATE_URL"] ?? "", from: "0.0.1",
            traits: isEnabled && !trait.isEmpty ? [.trait(name: trait)] : [])
    ] + (used.map { [.package(url: $0.url, from: $0.version)] } ?? []),
    targets: [
        .executableTarget(
            name: client,
            dependencies: [
                .product(name: "Hopoate", package: "hopoate"),
                .product(name: "Hopoate\(trait)", package: "hopoate"),
            ] + (used?.products.map { .product(name: $0, package: usedName) } ?? []))
    ],
    swiftLanguageModes: [.v6]
)
