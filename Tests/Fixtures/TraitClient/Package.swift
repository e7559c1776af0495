// swift-tools-version: 6.1
import PackageDescription

// A package with one client per trait that `.ci/traits` names in the environment, or with a plain client without traits. Its other
// dependencies are packages that the traits fetch, too.
let traits = (Context.environment["HOPOATE_TRAITS"] ?? "").split(separator: ",").map { String($0) }
let isEnabled = Context.environment["HOPOATE_FORGOTTEN"] == nil

let packages: [String: (url: String, version: Version, products: [String])] = [
    "ServiceLifecycle": (
        "https://github.com/swift-server/swift-service-lifecycle", "2.0.0", ["ServiceLifecycle", "UnixSignals"]
    ),
    "Logging": ("https://github.com/apple/swift-log", "1.0.0", ["Logging"]),
    "Metrics": ("https://github.com/apple/swift-metrics", "2.0.0", ["MetricsTestKit"]),
    "Tracing": ("https://github.com/apple/swift-distributed-tracing", "1.0.0", ["InMemoryTracing"]),
    "Configuration": ("https://github.com/apple/swift-configuration", "1.0.0", ["Configuration"]),
]
let used = isEnabled ? packages.filter { traits.contains($0.key) } : [:]

func products(_ trait: String) -> [Target.Dependency] {
    guard let package = used[trait] else { return [] }
    let name = package.url.split(separator: "/").last.map { String($0) } ?? ""
    return package.products.map { .product(name: $0, package: name) }
}

func client(_ trait: String) -> Target {
    .executableTarget(
        name: "\(trait.isEmpty ? "Plain" : trait)Client",
        dependencies: [.product(name: "Hopoate", package: "hopoate")]
            + (trait.isEmpty ? [] : [.product(name: "Hopoate\(trait)", package: "hopoate")]) + products(trait))
}

let package = Package(
    name: "TraitClient",
    platforms: [.macOS(.v11)],
    dependencies: [
        .package(
            url: Context.environment["HOPOATE_URL"] ?? "", from: "0.0.1",
            traits: Set(isEnabled ? traits.map { .trait(name: $0) } : []))
    ] + used.values.sorted { $0.url < $1.url }.map { .package(url: $0.url, from: $0.version) },
    targets: (traits.isEmpty ? [""] : traits).map(client),
    swiftLanguageModes: [.v6]
)
