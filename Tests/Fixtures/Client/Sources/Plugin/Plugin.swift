// A dynamic library on top of the container, so that all of its code has to be position-independent.
public import Hopoate

/// Registers and resolves.
public func answer(in container: DependencyContainer) -> Int {
    container.register(42, for: Int.self)
    return container.resolve(Int.self)
}
