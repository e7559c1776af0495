/// A part of a program that registers its own services.
///
/// ```swift
/// struct PaymentModule: DependencyModule {
///     func register(in container: DependencyContainer) {
///         container.register((any Paying).self) { _ in PaymentMock() }
///     }
/// }
/// try container.install {
///     PaymentModule()
/// }
/// ```
///
/// A module can consist of other modules:
///
/// ```swift
/// struct LogModule: DependencyModule {
///     func register(in container: DependencyContainer) {
///         container.register(ConsoleLog(), for: (any Log).self)
///     }
/// }
/// struct AppModule: DependencyModule {
///     var verbose = false
///     var modules: [any DependencyModule] {
///         if verbose { LogModule() }
///     }
/// }
/// ```
///
/// - Note: Concurrency. A module is called on the thread that installs it, with no lock held.
public protocol DependencyModule {
    /// The modules that this module consists of; none by default. They are installed before this module.
    ///
    /// - Complexity: That of the module. Read once per install.
    @DependencyModuleBuilder
    var modules: [any DependencyModule] { get }

    /// Registers the services of the module; does nothing by default.
    ///
    /// Registrations belong to the module if they are made in this container, on this thread, before this function returns.
    /// They are removed when the module is uninstalled. Registrations in other containers do not belong to the module. Neither do
    /// those of other threads and tasks, even of tasks that this function starts.
    ///
    /// - Parameter container: The container to register in.
    /// - Throws: An error, which undoes the whole install.
    /// - Complexity: That of the module. Called once per install.
    func register(in container: DependencyContainer) throws

    /// Runs when all modules of the install are registered; does nothing by default. Here a module may resolve services of the
    /// other modules.
    ///
    /// - Parameter container: The container that the modules were installed into.
    /// - Throws: An error, which undoes the whole install.
    /// - Complexity: That of the module. Called once per install.
    func didInstall(in container: DependencyContainer) throws
}

extension DependencyModule {
    /// The default implementation: an empty list, so the module contains no other modules.
    public var modules: [any DependencyModule] { [] }

    /// The default implementation: registers nothing.
    ///
    /// - Parameter container: The container to register in.
    /// - Throws: Nothing.
    /// - Complexity: Constant.
    public func register(in container: DependencyContainer) throws {}

    /// The default implementation: does nothing after the install.
    ///
    /// - Parameter container: The container that the modules were installed into.
    /// - Throws: Nothing.
    /// - Complexity: Constant.
    public func didInstall(in container: DependencyContainer) throws {}
}

/// Builds a list of modules from statements: modules, lists of modules, `if`, `switch`, `for`.
///
/// ```swift
/// struct LogModule: DependencyModule {}
/// struct AppModule: DependencyModule {}
/// let debug = true
/// try container.install {
///     AppModule()
///     if debug { LogModule() }
/// }
/// ```
///
/// - Note: Concurrency. Stateless and thread-safe.
@resultBuilder
public enum DependencyModuleBuilder {
    /// Adds a module to the list; nil adds nothing.
    ///
    /// - Complexity: Constant.
    public static func buildExpression(_ module: (any DependencyModule)?) -> [any DependencyModule] {
        module.map { [$0] } ?? []
    }

    /// Adds all modules of an array to the list.
    ///
    /// - Complexity: Constant.
    public static func buildExpression(_ modules: [any DependencyModule]) -> [any DependencyModule] { modules }

    /// Joins the modules of several statements.
    ///
    /// - Complexity: O(n) in the number of modules.
    public static func buildBlock(_ parts: [any DependencyModule]...) -> [any DependencyModule] {
        parts.flatMap(\.self)
    }

    /// Returns the modules of an `if` without an `else`.
    ///
    /// - Complexity: Constant.
    public static func buildOptional(_ part: [any DependencyModule]?) -> [any DependencyModule] { part ?? [] }

    /// Returns the modules of the first branch.
    ///
    /// - Complexity: Constant.
    public static func buildEither(first part: [any DependencyModule]) -> [any DependencyModule] { part }

    /// Returns the modules of the second branch.
    ///
    /// - Complexity: Constant.
    public static func buildEither(second part: [any DependencyModule]) -> [any DependencyModule] { part }

    /// Joins the modules of a loop.
    ///
    /// - Complexity: O(n) in the number of modules.
    public static func buildArray(_ parts: [[any DependencyModule]]) -> [any DependencyModule] { parts.flatMap(\.self) }
}

extension DependencyContainer {
    /// Installs modules: calls `register(in:)` of each, and then `didInstall(in:)` of each.
    ///
    /// ```swift
    /// struct LogModule: DependencyModule {}
    /// struct AppModule: DependencyModule {}
    /// let debug = true
    /// let installation = try container.install {
    ///     AppModule()
    ///     if debug { LogModule() }
    /// }
    /// container.uninstall(installation)
    /// ```
    ///
    /// Modules are installed in the order in which they are written, so a later one shadows registrations of an earlier one. A
    /// module that is listed twice registers twice. A module may install other modules while it registers. The outer module
    /// then owns their registrations as well. Registrations made by the factory of a shared service, such as a singleton,
    /// belong to no module, even if a module is the first to resolve that service.
    ///
    /// An install cannot restore registrations that a module *removed* or *replaced*: neither a failed install nor
    /// ``uninstall(_:)`` brings them back. If they must come back, let the module shadow them with newer registrations instead, or
    /// install it into a child.
    ///
    /// - Parameter modules: The modules.
    /// - Returns: A token for ``uninstall(_:)``. You need not keep it.
    /// - Throws: The first error of a module; all registrations of this install are removed again. ``DependencyError`` if a
    ///   module consists of itself, or if the container is sealed or shut down.
    /// - Complexity: That of the modules. While an install runs anywhere in the process, each registration reads a task-local.
    /// - Note: Concurrency. Each registration is visible as soon as it is made. A failed install removes its registrations one by
    ///   one, newest first. Installs on several threads are independent.
    @discardableResult
    public func install(
        @DependencyModuleBuilder _ modules: () throws -> [any DependencyModule]
    ) throws -> Installation {
        let outermost = try modules()
        let modules = try flattened(outermost)
        let first = outermost.first.map { type(of: $0) as any Any.Type }
        return try recordingInstallation(of: first ?? [any DependencyModule].self) {
            for module in modules { try module.register(in: self) }
            for module in modules { try module.didInstall(in: self) }
        }
    }

    /// Installs one module, as ``install(_:)-(()->[DependencyModule])`` does.
    ///
    /// ```swift
    /// struct AppModule: DependencyModule {}
    /// try container.install(AppModule())
    /// ```
    ///
    /// - Parameter module: The module.
    /// - Returns: A token for ``uninstall(_:)``. You need not keep it.
    /// - Throws: The same errors as ``install(_:)-(()->[DependencyModule])``.
    /// - Complexity: That of ``install(_:)-(()->[DependencyModule])``.
    @discardableResult
    public func install(_ module: any DependencyModule) throws -> Installation {
        try install { module }
    }
}

/// Returns the modules and the modules inside them, each after its parts.
private func flattened(_ modules: [any DependencyModule]) throws(DependencyError) -> [any DependencyModule] {
    var flat: [any DependencyModule] = []
    func add(_ module: any DependencyModule, inside outer: [any Any.Type]) throws(DependencyError) {
        let path = outer + [type(of: module)]
        // Modules of one type may differ and contain each other, but not without end.
        if path.count > ResolutionStack.deepest { throw DependencyError(endlessModules: path) }
        for part in module.modules { try add(part, inside: path) }
        flat.append(module)
    }
    for module in modules { try add(module, inside: []) }
    return flat
}
