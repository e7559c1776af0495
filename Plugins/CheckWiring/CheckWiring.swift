import Foundation
import PackagePlugin

/// `swift package check-wiring`: builds the modules of the package, and calls the tool with them.
@main
struct CheckWiring: CommandPlugin {
    func performCommand(context: PluginContext, arguments: [String]) throws {
        var arguments = ArgumentExtractor(arguments)
        if arguments.extractFlag(named: "help") > 0 { return print(Self.help) }
        let products = arguments.extractOption(named: "product")
        let modules = try modules(of: context.package, products: products)

        for subset in products.isEmpty
            ? [.all(includingTests: false)] : products.map(PackageManager.BuildSubset.product)
        {
            let build = try packageManager.build(subset, parameters: .init(configuration: .debug))
            guard build.succeeded else { throw Failure("the package does not build:\n\(build.logText)") }
        }
        var toolArguments = ["--manifest", try manifest(above: context.pluginWorkDirectoryURL).path]
        for module in modules { toolArguments += ["--module", module.moduleName] }
        if modules.contains(where: { $0.kind == .executable }) { toolArguments.append("--whole") }

        let process = Process()
        process.executableURL = try context.tool(named: "CheckWiringTool").url
        process.arguments = toolArguments + arguments.remainingArguments
        process.currentDirectoryURL = context.package.directoryURL
        try process.run()
        process.waitUntilExit()
        if process.terminationStatus != 0 { exit(process.terminationStatus) }
    }

    /// The modules of this package that the products link; all but tests if there are no products.
    private func modules(of package: Package, products names: [String]) throws -> [any SourceModuleTarget] {
        let own = Dictionary(package.targets.map { ($0.id, $0) }) { first, _ in first }
        var targets = package.targets
        if !names.isEmpty {
            targets = []
            for name in names {
                guard let product = package.products.first(where: { $0.name == name }) else {
                    throw Failure("the package has no product '\(name)'")
                }
                targets += product.targets.flatMap { $0.recursiveTargetDependencies + [$0] }
            }
        }
        var seen: Set<Target.ID> = []
        let modules = targets.filter { own[$0.id] != nil && seen.insert($0.id).inserted }.compactMap {
            $0 as? SwiftSourceModuleTarget
        }
        let checked = modules.filter { [.generic, .executable].contains($0.kind) }
        guard !checked.isEmpty else { throw Failure("the package has no Swift modules to check") }
        return checked
    }

    /// The build manifest of the native build system, in a folder above that of the plugin.
    private func manifest(above folder: URL) throws -> URL {
        var folder = folder
        while folder.path.count > 1 {
            let manifest = folder.appendingPathComponent("debug.yaml")
            if FileManager.default.fileExists(atPath: manifest.path) { return manifest }
            folder.deleteLastPathComponent()
        }
        throw Failure(
            "there is no build manifest 'debug.yaml'. Only the native build system of Swift 6.1 to 6.3 writes one.")
    }

    private static let help = """
        USAGE: swift package check-wiring [options]

        Checks that all services that the program resolves are registered, without running it.

          --product NAME          check the modules of a product; otherwise all but tests
          --format text|json      the form of the findings
          --open                  list registrations and resolve calls that cannot be checked
          --allow ID[=TYPE]       allow findings with an identifier, such as hopoate.unused, of all services or of one
          --baseline FILE         hide the findings of a file
          --write-baseline FILE   write such a file
          --write FILE            write the needs of each registration as JSON
          --any-compiler          accept unknown versions of the compiler
          -Xswiftc OPTION         pass an option to the compiler
        """
}

private struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
