/// A registration that is about to be made.
struct Draft<Service, Arguments> {
    let key: ServiceKey<Service>
    let name: DependencyName?
    let lifetime: Lifetime
    let callSite: CallSite
    let creator: Recipe<Service, Arguments>.Creator
    let requirements: [Requirement]?
    let completion: ((Service, DependencyContainer) throws -> Void)?
    let hooks: DisposalHooks<Service>?
    let hashable: ((Arguments) -> [AnyHashable])?
    /// The disposals of the service that this one decorates.
    let decorated: Disposals?

    init(
        _ key: ServiceKey<Service>, _ name: DependencyName?, _ lifetime: Lifetime, _ callSite: CallSite,
        _ creator: Recipe<Service, Arguments>.Creator, requirements: [Requirement]? = nil,
        completion: ((Service, DependencyContainer) throws -> Void)? = nil, hooks: DisposalHooks<Service>? = nil,
        hashable: ((Arguments) -> [AnyHashable])? = nil, decorated: Disposals? = nil
    ) {
        self.key = key
        self.name = name
        self.lifetime = lifetime
        self.callSite = callSite
        self.creator = creator
        self.requirements = requirements
        self.completion = completion
        self.hooks = hooks
        self.hashable = hashable
        self.decorated = decorated
    }

    /// Why this cannot work; nil where it can.
    var objection: String? {
        let policy = lifetime.policy
        let takesArguments = Arguments.self != Void.self
        if let objection = policy.objection(to: Service.self) { return objection }
        switch policy.sharing {
        case .arguments where !takesArguments:
            return "has the lifetime '\(lifetime)' but takes no arguments: let the creator take some"
        case .arguments where hashable == nil:
            return "has the lifetime '\(lifetime)' but takes an argument that is not Hashable: make it so"
        case .arguments, .nobody:
            break
        default:
            if takesArguments {
                return """
                    has the lifetime '\(lifetime)' and takes arguments, of which the first to come would decide for all: \
                    register it as .keyed, for one instance for each value, or as .transient
                    """
            }
        }
        if policy.sharing == .beforehand, case .suspending = creator {
            return
                "is created asynchronously, which cannot be waited for here: register it as .singleton and call warmUp()"
        }
        if hooks != nil, !policy.ownsInstances {
            return """
                has the lifetime '\(lifetime)', in which the container does not own the instances, so it cannot dispose of \
                them: leave the hook out, or take another lifetime
                """
        }
        return nil
    }
}

extension DependencyContainer {
    /// Makes a registration of a draft and puts it on top of those of its key, or in the place of all of them.
    func add<Service, Arguments>(
        _ draft: Draft<Service, Arguments>, overwriting: Bool = false
    ) -> ServiceRegistration<Service> {
        if let objection = draft.objection { failInvalid(draft.key, draft.callSite, objection) }
        let observer = isWatched ? observer(of: draft.key, draft.lifetime, draft.callSite) : nil
        let creator = observer.map(draft.creator.observed) ?? draft.creator
        if draft.lifetime.policy.sharing == .beforehand {
            return addInstance(of: draft, creator, observer, overwriting)
        }
        let recipe = Recipe(
            creator, lifetime: draft.lifetime, requirements: draft.requirements, completion: draft.completion,
            hooks: draft.hooks, hashable: draft.hashable, decorated: draft.decorated, observer: observer)
        return add(
            ServiceRegistration(
                draft.key, ServiceSource(recipe), name: draft.name, callSite: draft.callSite,
                disposals: recipe.disposals),
            overwriting: overwriting)
    }

    /// Runs the creator now.
    private func addInstance<Service, Arguments>(
        of draft: Draft<Service, Arguments>, _ creator: Recipe<Service, Arguments>.Creator,
        _ observer: (any DependencyObserver)?, _ overwriting: Bool
    ) -> ServiceRegistration<Service> {
        // Both are checked: an eager creator does not suspend and takes no arguments.
        guard let create = creator.direct, let arguments = () as? Arguments else { preconditionFailure() }
        let instance: Service
        do {
            instance = try withThrowingFrame(draft.key, isEager: true) {
                let instance = try create(self, arguments)
                try draft.completion?(instance, self)
                return instance
            }
        } catch {
            fail(DependencyError(error, draft.key))
        }
        let disposals = draft.hooks == nil && draft.decorated == nil ? nil : Disposals(decorating: draft.decorated)
        if let disposals, let hooks = draft.hooks {
            let disposal = Disposal(hooks, for: instance, mark: 0)
            // If the container ended meanwhile, it takes no registration either.
            if !state.add(disposal) || !disposals.add(disposal, of: state) { disposal.run() }
        }
        return add(
            ServiceRegistration(
                draft.key, ServiceSource(holding: instance, observer), name: draft.name, callSite: draft.callSite,
                disposals: disposals),
            overwriting: overwriting)
    }
}

extension ServiceSource {
    init<Arguments>(_ recipe: Recipe<Service, Arguments>) {
        // A singleton is looked for where it stays; all else is for the recipe to say.
        if recipe.lifetime.policy is Singleton, recipe.observer == nil, let slot = recipe.slot {
            self = .once(recipe, OnceRoom(slot.storage.cell))
        } else if let recipe = recipe as? Recipe<Service, Void>, let creator = recipe.plainCreator {
            self = .factory({ container in try creator(container, ()) }, recipe)
        } else {
            self = .recipe(recipe)
        }
    }

    /// An instance that exists.
    init(holding instance: Service, _ observer: (any DependencyObserver)?) {
        if let observer {
            self = .recipe(Recipe<Service, Void>(holding: instance, observer))
        } else {
            self = .instance(instance)
        }
    }
}
