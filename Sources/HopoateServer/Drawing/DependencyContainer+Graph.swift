public import Hopoate

extension DependencyContainer {
    /// Returns the dependency graph of this container and its parents, for drawing.
    ///
    /// ```swift
    /// print(container.graph().mermaid)
    /// ```
    ///
    /// After a failed validation, the graph shows the services that have a finding in red:
    ///
    /// ```swift
    /// do { try container.validate() } catch {
    ///     print(container.graph(marking: error).dot)
    /// }
    /// ```
    ///
    /// - Parameter error: The error of a validation of this container; nil to mark nothing.
    /// - Returns: The graph.
    /// - Complexity: That of `registrations`.
    public func graph(marking error: DependencyValidationError? = nil) -> DependencyGraph {
        DependencyGraph(Wiring(self), error?.findings ?? [])
    }
}
