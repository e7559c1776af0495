/// The part of a registration that its disposals share. By it, a shutdown orders the hooks, and names those that do not finish.
///
/// It does not retain the factory, which retains the disposals.
final class DisposalOrigin: Sendable {
    let identity: ServiceIdentity
    /// The place of the registration; nil if it is not known.
    let place: String?
    /// The parameters of the initializer; nil if an instance may use other services.
    let requirements: [Requirement]?
    /// Whether a closure completes each new instance.
    let hasCompletion: Bool

    init(_ identity: ServiceIdentity, place: String?, requirements: [Requirement]?, hasCompletion: Bool) {
        self.identity = identity
        self.place = place
        self.requirements = requirements
        self.hasCompletion = hasCompletion
    }
}
