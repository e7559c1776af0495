// A dynamic library on top of the container, so that its code has to be position-independent all the way down.
public import Hopoate

/// Registers and resolves.
public func answer(in container: DependencyContainer) -> Int {
    container.register(42, for: Int.self)
    return container.resolve(Int.self)
}
