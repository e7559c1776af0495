import Hopoate

/// The container of one test case, and the checks of strict tests.
struct Isolation: Sendable {
    let container: DependencyContainer
    let findings = Findings()
    private let contents: IsolatedDependenciesTrait.Contents
    /// Finds shutdowns that were left out; nil unless the test is strict.
    private let watch: ShutdownWatch?

    init(_ contents: IsolatedDependenciesTrait.Contents) {
        self.contents = contents
        switch contents.kind {
        case .nothing:
            container = DependencyContainer()
            watch = nil
        case .surroundings:
            container = DependencyContainer.shared.makeChild()
            watch = nil
        case .strict:
            container = DependencyContainer()
            watch = container.watchShutdown()
        }
    }

    /// Runs a closure with the container as `shared`, as `attempt` does.
    ///
    /// - Parameters:
    ///   - handed: The closure.
    ///   - onFailure: Receives each error except the one in the outcome, in the task or on the thread that failed.
    /// - Returns: How the closure ended, and the findings that this does not tell.
    func run<Output>(
        _ handed: Handed<Output>, onFailure: @escaping @Sendable (DependencyError) -> Void
    ) async -> (outcome: Outcome<Output>, findings: [Finding]) {
        // For code that does not see the task-locals of the test.
        container.setFailureHandler(onFailure)
        let body = Handed {
            try registerLiveServices()
            return try await handed.body()
        }
        let outcome = await DependencyContainer.$shared.withValue(container) {
            await Findings.$current.withValue(findings) { await attempt(body, onFailure: onFailure) }
        }
        if let cause = outcome.cause { findings.remove(cause) }
        // An abandoned test could not shut its containers down.
        if case .over = outcome {
            noteLeftOutShutdowns()
            await noteKeptContainers()
        }
        return (outcome, findings.end())
    }

    private func registerLiveServices() throws {
        guard case .strict(let allowed, let register) = contents.kind, let register else { return }
        let live = LiveServices(except: allowed, findings)
        container.instrument(with: live)
        defer { live.close() }
        try register(container)
    }

    private func noteLeftOutShutdowns() {
        for instance in watch?.leftOut ?? [] {
            findings.add(
                Finding(
                    leftOutShutdownMessage(instance.identity, at: instance.place), at: instance.place.flatMap(location))
            )
        }
    }

    /// Looks for containers of requests that are referenced after their end.
    private func noteKeptContainers() async {
        guard let watch else { return }
        // A task that has just ended may not have released its closure yet.
        for _ in 0..<100 where watch.endedContainers(besides: container) > 0 {
            try? await Task.sleep(nanoseconds: 10_000_000)
        }
        let count = watch.endedContainers(besides: container)
        if count > 0 { findings.add(Finding(keptContainersMessage(count))) }
    }
}

extension Outcome {
    /// The innermost error; nil after a success.
    fileprivate var cause: (any Error)? {
        switch self {
        case .over(.success): nil
        case .over(.failure(let error)): innermost(error)
        case .failed(let error): innermost(error)
        }
    }

    private func innermost(_ error: any Error) -> any Error {
        guard let cause = (error as? DependencyError)?.underlying else { return error }
        return innermost(cause)
    }
}
