/// A registration before it is made: a factory, and all options of `register`.
struct ServiceDefinition<Service, Arguments> {
    let key: ServiceKey<Service>
    var name: DependencyName?
    let lifetime: Lifetime
    let callSite: CallSite?
    var closures: ServiceFactory<Service, Arguments>.Closures
    /// The closure of the user, if it takes nothing but the container and is synchronous.
    var plain: ((DependencyContainer) throws -> Service)?
    /// The parameters of the initializer; nil if they are not known.
    var requirements: [Requirement]?
    /// Completes each new instance.
    var completion: ((Service, DependencyContainer) throws -> Void)?
    var hooks: DisposalHooks<Service>?
    /// How the arguments are hashed and compared; nil if there are none, or if one is not `Hashable`.
    var hashable: (any KeyedArguments.Type)?
    /// The registration that this one decorates; nil if there is none. The requirements are those of that one, and the decorator may use
    /// more.
    var decorated: AnyServiceRegistration?
    /// Whether the compiler has checked that nothing else refers to a new instance.
    var isSending = false
    /// The observer of resolve calls and creations; nil if there is none. `watch` sets it, as the next one.
    var observer: (any DependencyObserver)?
    /// The record of the creations; nil if they are not recorded.
    var record: (any ServiceRecord)?

    /// Whether anything observes or records the creations.
    var isWatched: Bool { observer != nil || record != nil }

    /// Wraps the factory, if the container observes or records its services. The observer is around the record.
    mutating func watch(in container: DependencyContainer) {
        observer = container.observer(of: key, lifetime, callSite, requirements)
        record = container.makeRecord()
        closures = closures.observed(by: record).observed(by: observer)
        hooks = hooks?.observed(by: observer)
        if isWatched { plain = nil }
    }

    /// The part that disposals share; nil if there are no hooks.
    var origin: DisposalOrigin? {
        guard hooks != nil else { return nil }
        return DisposalOrigin(
            key.identity, place: callSite?.ifKnown?.place, requirements: completion == nil ? requirements : nil,
            hasCompletion: completion != nil)
    }

    /// Why the registration cannot work; nil if it can.
    var objection: String? {
        let policy = lifetime.policy
        let takesArguments = Arguments.self != Void.self
        if let limit = lifetime.limit, limit < 1 {
            return """
                has the lifetime '\(lifetime)', which would keep no instance. Use a limit of 1 or more, or the lifetime `.transient`
                """
        }
        if lifetime.isWeak, !(Service.self is AnyObject.Type || isExistential(Service.self)) {
            return "has the lifetime 'weak' but is a value type. Register a class, or use another lifetime"
        }
        let sharing = policy.sharing.kind
        switch lifetime.arguments {
        case .required where !takesArguments && requirements?.isEmpty == false:
            return """
                has the lifetime '\(lifetime)', but the parameters of its initializer or closure are services, not arguments. \
                \(argumentRemedy(nil)), or use another lifetime
                """
        case .required where !takesArguments:
            return
                "has the lifetime '\(lifetime)' but takes no arguments. Let its factory take arguments, or use another lifetime"
        case .required where hashable == nil, .hashable where takesArguments && hashable == nil:
            return """
                has the lifetime '\(lifetime)' but takes an argument that is not Hashable. Make all argument types Hashable, or \
                use `.transient`
                """
        case .refused where takesArguments:
            return """
                has the lifetime '\(lifetime)' and takes arguments, but the first caller's arguments would be reused for every \
                later caller. Use `.keyed`, `.weak`, `.scoped`, `.cached(in:)` or `.graph` (one instance per value), or \
                `.transient`
                """
        case .required, .hashable, .allowed, .refused:
            break
        }
        if sharing.isEager, case .asynchronous = closures {
            return
                "is eager, but its factory is asynchronous. Use the lifetime `.singleton`, and call `warmUp()`"
        }
        if hooks != nil, !policy.ownsInstances {
            return """
                has a disposal hook and the lifetime '\(lifetime)', whose instances the container does not own. Remove the \
                disposal hook, or use another lifetime
                """
        }
        return nil
    }
}
