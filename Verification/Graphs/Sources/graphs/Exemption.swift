/// A case in which the library gives other answers than its promise. A run reports nothing in these cases, unless it is strict.
enum Exemption: String, CaseIterable {
    /// A factory that is a closure and does not suspend, or an eager service of a request, needs a shared service that another task is
    /// creating. It fails, because it cannot wait for that task.
    case closures
    /// The call suspends, and a shared service needs a scoped one that needs other scoped services. The error names one of these, which are
    /// created first, and not the captive service.
    case scoped
    /// An eager service keeps an instance that may end early. Neither `register` nor validation objects.
    case eager
    /// The requests are served by the factory of a shared service. It counts as the owner of what their handles resolve, and of instances
    /// that may end early, although it keeps neither. That of a scoped service counts as the owner of what a provider has made, so its
    /// providers may resolve scoped services.
    case surroundings

    /// Inside another factory, a provider of a shared service finds an instance in the object graph of that factory. The instance is not
    /// checked for captive dependencies, as a new one would be.
    case found

    // Unsafe, because it is not protected. Sound, because all code runs on one thread.
    nonisolated(unsafe) static var isStrict = false

    var applies: Bool { !Exemption.isStrict }
}
