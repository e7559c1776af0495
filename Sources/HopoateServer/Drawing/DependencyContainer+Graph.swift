public import Hopoate

extension DependencyContainer {
    /// Returns the dependency graph of this container and its parents, for drawing.
    ///
    /// ```swift
    /// print(container.graph().mermaid)
    /// ```
    ///
    /// - Returns: The graph.
    /// - Complexity: That of `registrations`.
    public func graph() -> DependencyGraph { DependencyGraph(Wiring(self)) }
}
