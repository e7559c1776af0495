/// A part of a program that knows what it has to register.
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
/// A module that consists of others names them:
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
/// - Note: Concurrency. A module is called on the thread that installs it, with nothing locked.
public protocol DependencyModule {
    /// The modules that this one consists of, beside what it registers itself. They are installed before it. None by default.
    ///
    /// - Complexity: The module's own. Asked for once in each install.
    /// - Note: Concurrency. On the thread that installs, with nothing locked.
    @DependencyModuleBuilder
    var modules: [any DependencyModule] { get }

    /// Registers what the module has to offer. Nothing by default.
    ///
    /// What is registered in the container, on this thread, before this returns belongs to the module, and leaves the container
    /// with it. What is registered elsewhere, by other threads and other tasks (also those that are started here), or in other
    /// containers, does not.
    ///
    /// - Parameter container: Where to register.
    /// - Throws: What makes it impossible; then the whole install is undone.
    /// - Complexity: The module's own. Called once in each install.
    /// - Note: Concurrency. On the thread that installs, with nothing locked.
    func register(in container: DependencyContainer) throws

    /// Called when all modules of the install are in: here a module may resolve what others have registered. Does nothing by
    /// default.
    ///
    /// - Parameter container: Where they were installed.
    /// - Throws: What makes it impossible; then the whole install is undone.
    /// - Complexity: The module's own. Called once in each install.
    /// - Note: Concurrency. On the thread that installs, with nothing locked.
    func didInstall(in container: DependencyContainer) throws
}

extension DependencyModule {
    /// None.
    ///
    /// - Complexity: Constant.
    /// - Note: Concurrency. From any thread.
    public var modules: [any DependencyModule] { [] }

    /// Registers nothing.
    ///
    /// - Parameter container: Where to register.
    /// - Throws: Nothing.
    /// - Complexity: Constant.
    /// - Note: Concurrency. From any thread.
    public func register(in container: DependencyContainer) throws {}

    /// Does nothing.
    ///
    /// - Parameter container: Where the modules were installed.
    /// - Throws: Nothing.
    /// - Complexity: Constant.
    /// - Note: Concurrency. From any thread.
    public func didInstall(in container: DependencyContainer) throws {}
}

/// Makes a list of modules of statements: modules, lists of them, `if`, `switch`, `for`, `if #available`.
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
/// - Note: Concurrency. Stateless; from any thread.
@resultBuilder
public enum DependencyModuleBuilder {
    /// A module.
    ///
    /// - Complexity: Constant.
    /// - Note: Concurrency. From any thread.
    public static func buildExpression(_ module: any DependencyModule) -> [any DependencyModule] { [module] }

    /// A module, or none.
    ///
    /// - Complexity: Constant.
    /// - Note: Concurrency. From any thread.
    public static func buildExpression(_ module: (any DependencyModule)?) -> [any DependencyModule] {
        module.map { [$0] } ?? []
    }

    /// A list of modules.
    ///
    /// - Complexity: Constant.
    /// - Note: Concurrency. From any thread.
    public static func buildExpression(_ modules: [any DependencyModule]) -> [any DependencyModule] { modules }

    /// One after the other.
    ///
    /// - Complexity: Linear in the number of modules.
    /// - Note: Concurrency. From any thread.
    public static func buildBlock(_ parts: [any DependencyModule]...) -> [any DependencyModule] {
        parts.flatMap(\.self)
    }

    /// An `if` without an `else`.
    ///
    /// - Complexity: Constant.
    /// - Note: Concurrency. From any thread.
    public static func buildOptional(_ part: [any DependencyModule]?) -> [any DependencyModule] { part ?? [] }

    /// The first branch.
    ///
    /// - Complexity: Constant.
    /// - Note: Concurrency. From any thread.
    public static func buildEither(first part: [any DependencyModule]) -> [any DependencyModule] { part }

    /// The second branch.
    ///
    /// - Complexity: Constant.
    /// - Note: Concurrency. From any thread.
    public static func buildEither(second part: [any DependencyModule]) -> [any DependencyModule] { part }

    /// A loop.
    ///
    /// - Complexity: Linear in the number of modules.
    /// - Note: Concurrency. From any thread.
    public static func buildArray(_ parts: [[any DependencyModule]]) -> [any DependencyModule] { parts.flatMap(\.self) }

    /// What is there only on some systems.
    ///
    /// - Complexity: Constant.
    /// - Note: Concurrency. From any thread.
    public static func buildLimitedAvailability(_ part: [any DependencyModule]) -> [any DependencyModule] { part }
}

extension DependencyContainer {
    /// Installs modules: has all of them register, and then tells all of them that they are in.
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
    /// Modules are installed in the order in which they are written, so that a later one hides what an earlier one registers. A
    /// module may install others in the course of its own registering; these belong to it as well. One that is listed twice
    /// registers twice. What the factory of a service registers that all callers share (a singleton, for example) belongs to no
    /// module, whichever was the first to resolve that service.
    ///
    /// What a module *removes* or *overwrites* is gone, like after any other overwrite: neither undoing the install nor
    /// ``uninstall(_:)`` brings it back. Where that is wanted, hide it by registering on top of it, or install the module into a
    /// child.
    ///
    /// - Parameter modules: The modules.
    /// - Returns: A token for ``uninstall(_:)``. The container does not need it.
    /// - Throws: What the first module throws that does. Then all that this install registered has been taken out again.
    ///   ``DependencyError`` where a module consists of itself, and where the container is sealed or was shut down.
    /// - Complexity: That of the modules. While an install is under way anywhere in the process, every registration costs a
    ///   task-local read more.
    /// - Note: Concurrency. From any thread. Each registration appears when it is made; undoing them takes them out one after the
    ///   other, newest first. Installs on several threads do not see each other.
    @discardableResult
    public func install(
        @DependencyModuleBuilder _ modules: () throws -> [any DependencyModule]
    ) throws -> Installation {
        let modules = try flattened(try modules())
        return try recordingInstallation {
            for module in modules { try module.register(in: self) }
            for module in modules { try module.didInstall(in: self) }
        }
    }

    /// Installs one module.
    ///
    /// ```swift
    /// struct AppModule: DependencyModule {}
    /// try container.install(AppModule())
    /// ```
    ///
    /// - Parameter module: The module.
    /// - Returns: A token for ``uninstall(_:)``. The container does not need it.
    /// - Throws: As ``install(_:)-(()->[DependencyModule])``.
    /// - Complexity: As ``install(_:)-(()->[DependencyModule])``.
    /// - Note: Concurrency. As ``install(_:)-(()->[DependencyModule])``.
    @discardableResult
    public func install(_ module: any DependencyModule) throws -> Installation {
        try install { module }
    }
}

/// Modules with those that they consist of, each after its parts.
private func flattened(_ modules: [any DependencyModule]) throws(DependencyError) -> [any DependencyModule] {
    var flat: [any DependencyModule] = []
    func add(_ module: any DependencyModule, inside outer: [any Any.Type]) throws(DependencyError) {
        let path = outer + [type(of: module)]
        // Modules of one type may differ, and lie inside each other; but not without an end.
        if path.count > ResolutionStack.deepest { throw DependencyError(endlessModules: path) }
        for part in module.modules { try add(part, inside: path) }
        flat.append(module)
    }
    for module in modules { try add(module, inside: []) }
    return flat
}
