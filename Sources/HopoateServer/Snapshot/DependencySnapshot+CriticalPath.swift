extension DependencySnapshot {
    /// The registrations whose first creations made the program wait longest: each was created for the one before it.
    ///
    /// The path begins with the longest first creation that nothing else needed. Each step leads to the longest first creation directly
    /// inside the one before. So the creations to shorten are at the end of the path, and at each step that takes much longer than the
    /// next one. The path is empty if no creation is recorded.
    ///
    /// - Complexity: O(n m) in the number of registrations and the length of the path.
    public var criticalPath: [Registration] {
        var path: [Registration] = []
        while let next = longestCreation(inside: path.last) { path.append(next) }
        return path
    }

    /// Returns the registration with the longest first creation directly inside that of another one; for nil, inside none.
    private func longestCreation(inside outer: Registration?) -> Registration? {
        var longest: (registration: Registration, duration: Int)?
        for registration in registrations {
            guard let creation = registration.creations?.first, creation.isDirectlyInside(outer?.creations?.first)
            else {
                continue
            }
            if creation.duration > longest?.duration ?? -1 { longest = (registration, creation.duration) }
        }
        return longest?.registration
    }
}

extension DependencySnapshot.Creation {
    /// Whether this creation was needed by another one, or, for nil, by none.
    fileprivate func isDirectlyInside(_ outer: DependencySnapshot.Creation?) -> Bool {
        guard let outer else { return depth == 1 }
        return depth == outer.depth + 1 && chain.dropLast().last == outer.chain.last && start >= outer.start
            && start + duration <= outer.start + outer.duration
    }
}
