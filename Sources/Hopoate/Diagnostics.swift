// Every message that this module can end a process with. Cold: none of it is inlined into its callers.

/// Ends the process because a service was asked for that nobody registered.
@usableFromInline
@inline(never)
func failMissing(_ service: Any.Type, in container: DependencyContainer, _ callSite: CallSite?) -> Never {
    fatalError(missingServiceMessage(service, in: container, callSite))
}

/// The text: what happened, where, what looks similar, what to do.
@inline(never)
func missingServiceMessage(
    _ service: Any.Type, in container: DependencyContainer, _ callSite: CallSite?
) -> String {
    let name = String(reflecting: service)
    var lines = ["no service is registered for '\(name)'"]
    if let callSite { lines[0] += ", asked for at \(callSite.fileID):\(callSite.line)" }
    let isDefault = container === DependencyContainer.process
    lines[0] += isDefault ? ", in the default container." : "."

    let own = container.reachableTypes
    for similar in similarTypes(to: name, among: own) { lines.append("  Registered there: '\(similar)'.") }
    if own.isEmpty { lines.append("  Nothing is registered there at all.") }
    if !isDefault, !container.reaches(.process) {
        let elsewhere = DependencyContainer.process.reachableTypes
        if elsewhere.contains(where: { $0 == service }) {
            lines.append(
                """
                  It is registered in the default container, in whose place another one is bound here; \
                bind a child of it (makeChild()) to see what it holds.
                """)
        } else {
            for similar in similarTypes(to: name, among: elsewhere) {
                lines.append("  Registered in the default container, which is not asked here: '\(similar)'.")
            }
        }
    }
    lines.append(
        """
          Register one before it is asked for, with register(…, for: \(metatypeExpression(service))); \
        or ask with optionalResolve.
        """)
    return lines.joined(separator: "\n")
}

/// How a metatype is written: the runtime names protocol types without the `any` that source code needs.
private func metatypeExpression(_ service: Any.Type) -> String {
    let name = String(reflecting: service)
    if name.hasPrefix("any ") { return "(\(name)).self" }
    let isProtocol = String(reflecting: type(of: service)).hasSuffix(".Protocol")
    return isProtocol && service != Any.self ? "(any \(name)).self" : "\(name).self"
}

extension DependencyContainer {
    /// The types registered here and in the parents.
    fileprivate var reachableTypes: [any Any.Type] { registry.types + (parent?.reachableTypes ?? []) }

    /// Whether a container is this one or one of its parents.
    fileprivate func reaches(_ container: DependencyContainer) -> Bool {
        self === container || parent?.reaches(container) ?? false
    }
}

/// The names of at most three types that somebody may have meant, most similar first.
private func similarTypes(to name: String, among types: [any Any.Type]) -> [String] {
    let wanted = baseName(name)
    let scored = types.compactMap { type -> (distance: Int, name: String)? in
        let candidate = String(reflecting: type)
        let other = baseName(candidate)
        let distance = editDistance(wanted, other)
        let isSimilar = distance <= max(2, wanted.count / 4) || other.contains(wanted) || wanted.contains(other)
        return isSimilar ? (distance, candidate) : nil
    }
    return scored.sorted { ($0.distance, $0.name) < ($1.distance, $1.name) }.prefix(3).map(\.name)
}

/// A type's own name, in lower case: without `any`, modules and enclosing types.
private func baseName(_ name: String) -> String {
    let generic = name.firstIndex(of: "<") ?? name.endIndex
    let path = name[..<generic].split(separator: " ").last ?? ""
    return (path.split(separator: ".").last ?? "").lowercased()
}

/// How many letters have to be added, dropped or changed to make one word of the other (Levenshtein).
private func editDistance(_ first: String, _ second: String) -> Int {
    let second = Array(second)
    var row = Array(0...second.count)
    for (index, letter) in first.enumerated() {
        var diagonal = row[0]
        row[0] = index + 1
        for column in second.indices {
            let substituted = diagonal + (letter == second[column] ? 0 : 1)
            diagonal = row[column + 1]
            row[column + 1] = min(substituted, row[column] + 1, diagonal + 1)
        }
    }
    return row[second.count]
}
