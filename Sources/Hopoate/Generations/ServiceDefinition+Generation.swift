// A factory resolves its dependencies one after the other. If the container of the factory itself allows commits, a commit may come in
// between, and the new instance would use old services beside new ones. So such a creation pins the layer that was current at its begin. If
// another one is current at the end, the instance is disposed of before anybody gets it, and the factory runs once more.
//
// As with instruments, registration decides once, and no resolve path checks for commits. The factories of children run as they are: all
// their lookups go through one layer.

extension ServiceDefinition {
    /// Lets the factory create each instance from the services of one generation.
    mutating func keepInOneGeneration() {
        closures = closures.inOneGeneration(hooks)
        plain = nil
    }
}

extension ServiceFactory.Closures {
    fileprivate func inOneGeneration(_ hooks: DisposalHooks<Service>?) -> Self {
        func direct(
            _ create: @escaping (DependencyContainer, Arguments) throws -> Service, repeatsAfterError: Bool = true
        ) -> (DependencyContainer, Arguments) throws -> Service {
            { container, arguments in
                guard container.role == .versioned else { return try create(container, arguments) }
                while let generation = PinnedGeneration(of: container) {
                    defer { generation.end() }
                    do {
                        let instance = try create(container, arguments)
                        if generation.isCurrent { return instance }
                        hooks?.discard(instance, of: container)
                    } catch {
                        if generation.isCurrent || !repeatsAfterError { throw error }
                    }
                }
                return try create(container, arguments)
            }
        }
        func suspending(
            _ create: @escaping @Sendable (DependencyContainer, Arguments) async throws -> Service
        ) -> @Sendable (DependencyContainer, Arguments) async throws -> Service {
            { container, arguments in
                guard container.role == .versioned else { return try await create(container, arguments) }
                let arguments = Unchecked(arguments)
                while let generation = PinnedGeneration(of: container) {
                    defer { generation.end() }
                    do {
                        let instance = try await create(container, arguments.value)
                        if generation.isCurrent { return instance }
                        hooks?.discard(instance, of: container)
                    } catch {
                        if generation.isCurrent || Task.isCancelled { throw error }
                    }
                }
                return try await create(container, arguments.value)
            }
        }
        return switch self {
        case .synchronous(let create): .synchronous(direct(create))
        case .asynchronous(let create): .asynchronous(suspending(create))
        case .both(let create, let suspendingCreate): .both(direct(create), suspending(suspendingCreate))
        case .initializer(let create, let suspendingCreate):
            // The error may say that the other form has to run (ServiceFactory+WithoutSuspending.swift).
            .initializer(direct(create, repeatsAfterError: false), suspending(suspendingCreate))
        }
    }
}

extension DisposalHooks {
    /// Disposes of an instance that nobody has got.
    fileprivate func discard(_ instance: Service, of container: DependencyContainer) {
        Disposal(self, for: instance, mark: 0).run(in: container.state)
    }
}

/// The layer that was current at the begin of a creation.
private struct PinnedGeneration {
    private let container: DependencyContainer
    private let layer: UncountedContainer

    /// Nil if the container was shut down.
    init?(of container: DependencyContainer) {
        let layer = container.registry.read(.layer, as: CurrentLayer.self) { UncountedContainer.pinning($0.layer) }
        guard let layer else { return nil }
        self.container = container
        self.layer = layer
    }

    /// Whether the layer is still the current one, or the container was shut down, so that there is none.
    var isCurrent: Bool {
        container.registry.read(.layer, as: CurrentLayer.self) { UncountedContainer($0.layer) == layer } ?? true
    }

    func end() { layer.releaseWithParents() }
}
