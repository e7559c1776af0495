// An override around the access to a value.
//
// A property wrapper captures its container when it is initialized. Its value may be read inside an override of `shared` that began
// later, for example by `withDependencies`. Then the values that this override sets come first. They are searched in the container
// that is `shared`, and in its parents up to the first one that the captured container also has:
//
//     default container  <--  captured container
//            ^
//            +--------------  request  <--  withDependencies      the last two are searched first
//
// The default container is never searched first: it is `shared` if nothing is overridden.

/// The containers that override the container of a wrapper: one container and some of its parents.
struct ValueOverride: Sendable {
    private let shared: DependencyContainer
    /// The first container that does not belong to the override; nil if all do.
    private let end: DependencyContainer?

    /// Makes the override around this code; nil if there is none.
    init?(of captured: DependencyContainer) {
        guard mayBeOverriddenHere, let shared = Override.current, shared !== captured else { return nil }
        let process = DependencyContainer.process
        end = shared.nearestContainer(inCommonWith: captured) ?? (shared.reaches(process) ? process : nil)
        if shared === end { return nil }
        self.shared = shared
    }

    /// Returns the value that the override sets; nil if it sets none.
    func find<Key>(_ key: ServiceKey<EnvironmentValue<Key>>) -> EnvironmentValue<Key>? {
        var next: DependencyContainer? = shared
        while let container = next, container !== end {
            // Values are registered as instances.
            if let registration = container.registry.newest(key)?.holder { return registration.instance }
            next = container.parent
        }
        return nil
    }
}

extension DependencyContainer {
    /// Returns the nearest one of this container and its parents that another container also is or has as a parent; nil if none is.
    fileprivate func nearestContainer(inCommonWith other: DependencyContainer) -> DependencyContainer? {
        var left: DependencyContainer? = self
        var right: DependencyContainer? = other
        let difference = level - other.level
        for _ in 0..<max(difference, 0) { left = left?.parent }
        for _ in 0..<max(-difference, 0) { right = right?.parent }
        while left !== right {
            left = left?.parent
            right = right?.parent
        }
        return left
    }

    /// The number of its parents.
    private var level: Int {
        var level = 0
        var next = parent
        while let container = next {
            level += 1
            next = container.parent
        }
        return level
    }
}
