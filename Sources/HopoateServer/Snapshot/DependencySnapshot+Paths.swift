extension DependencySnapshot {
    /// For each registration, those whose factories resolve it directly: their ``Registration/id``, in ascending order.
    ///
    /// - Complexity: O(n) in the number of dependencies.
    public var dependents: [[Int]] {
        var dependents = registrations.map { _ in [Int]() }
        for registration in registrations {
            for target in Set(registration.dependencies?.flatMap(\.targets) ?? []) {
                dependents[target].append(registration.id)
            }
        }
        return dependents
    }

    /// The longest chain of registrations of which each resolves the next one. Empty without dependencies.
    ///
    /// Services that depend on a cycle are in no chain.
    ///
    /// - Complexity: O(n) in the number of dependencies.
    public var longestPath: [Registration] {
        let dependents = self.dependents
        let targets = registrations.map { Set($0.dependencies?.flatMap(\.targets) ?? []) }
        // Each registration comes after those that it resolves.
        var open = targets.map(\.count)
        var order = registrations.indices.filter { open[$0] == 0 }
        var length = registrations.map { _ in 1 }
        var next: [Int?] = registrations.map { _ in nil }
        var index = 0
        while index < order.count {
            let target = order[index]
            for user in dependents[target] {
                if length[user] <= length[target] { (length[user], next[user]) = (length[target] + 1, target) }
                open[user] -= 1
                if open[user] == 0 { order.append(user) }
            }
            index += 1
        }
        // The first one of equals.
        guard let start = order.max(by: { (length[$0], $1) < (length[$1], $0) }), length[start] > 1 else { return [] }
        return sequence(first: start, next: { next[$0] }).map { registrations[$0] }
    }

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
