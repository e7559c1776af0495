/// An observer that also observes the disposal of the instances of a registration. For tests.
package protocol DisposalObserver: DependencyObserver {
    /// Tells that the registration has disposal hooks, before it is made.
    func willHaveHooks()
    /// Runs before the hooks of an instance.
    func willDispose()
    /// Runs after the hooks of an instance, also if they throw.
    func didDispose()
}

extension DisposalHooks {
    /// The same hooks, between the calls of an observer, if it observes disposals.
    func observed(by observer: (any DependencyObserver)?) -> Self {
        guard let observer = observer as? any DisposalObserver else { return self }
        observer.willHaveHooks()
        let sync = sync
        guard let async else {
            return Self(
                unchecked: { instance in
                    observer.willDispose()
                    defer { observer.didDispose() }
                    try sync?(instance)
                }, nil)
        }
        return Self(
            unchecked: { instance in
                observer.willDispose()
                try sync?(instance)
            },
            { instance in
                defer { observer.didDispose() }
                try await async(instance)
            })
    }
}
