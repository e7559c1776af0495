// The texts of findings.

extension DependencyValidationError.Finding {
    /// For a parameter whose service is not registered; with the registrations that may have been meant.
    init(
        missing identity: ServiceIdentity, neededBy registration: AnyServiceRegistration,
        among others: [AnyServiceRegistration]
    ) {
        let near = Alternatives(to: identity, among: others)
        self.init(
            near.kind, registration, [registration.identity, identity],
            """
            '\(registration.identity)' needs '\(identity)', which is not registered\(near.names). Register it, or make the \
            parameter optional.\(identity.remedyIfArgument)\(near.hints)
            """)
    }

    /// For a list of services, as a parameter, for which no service is registered.
    init(
        emptyList identity: ServiceIdentity, of element: ServiceIdentity, neededBy registration: AnyServiceRegistration
    ) {
        self.init(
            .missing, registration, [registration.identity, identity],
            """
            '\(registration.identity)' needs the list '\(identity)', and no '\(element)' is registered. Register one, or resolve the \
            list in a factory closure with `resolveAll(\(TypeSpelling(element.type).expression))`.\(identity.remedyIfArgument)
            """)
    }

    /// For a root that is not registered; with the registrations that may have been meant.
    init(missing root: DependencyRoot, among others: [AnyServiceRegistration]) {
        let near = Alternatives(to: root.identity, among: others)
        let text = "'\(root.identity)' is not registered\(near.names). Register it.\(near.hints)"
        self.init(near.kind, [root.identity], place: root.place, text)
        roots = [root]
    }

    /// The finding for a parameter of a service that is registered in a child container only.
    init(outOfReach identity: ServiceIdentity, neededBy registration: AnyServiceRegistration) {
        self.init(
            .missing, registration, [registration.identity, identity],
            """
            '\(registration.identity)' needs '\(identity)', which is registered only in the child container (the request scope). \
            Register it in the container of '\(registration.identity)'.
            """)
    }

    // The cycle, each service once.
    init(circular cycle: [AnyServiceRegistration]) {
        let chain = cycle.map(\.identity) + [cycle[0].identity]
        self.init(
            .circular, cycle[0], chain,
            """
            '\(cycle[0].identity)' depends on itself: \(arrows(chain)). Break the cycle: let one service take a \
            `LazyDependency` of the other, or set a property in its `afterCreation` closure.
            """)
    }

    // The path leads from the service that would keep the captive one to the captive one.
    init(captive path: [AnyServiceRegistration]) {
        let owningService = path[0]
        let kept = path[path.count - 1]
        self.init(
            .captive, owningService, path.map(\.identity),
            """
            '\(owningService.identity)' has the lifetime '\(owningService.lifetimeOfService)' and would keep \
            '\(kept.identity)', which has the lifetime '\(kept.lifetimeOfService)': \(arrows(path.map(\.identity))). Make \
            '\(owningService.identity)' scoped, or give '\(kept.identity)' a lifetime at least as long.
            """)
    }

    // The path leads from the service that would keep the instance to that one.
    init(captiveExpiring path: [AnyServiceRegistration]) {
        let owningService = path[0]
        let kept = path[path.count - 1]
        self.init(
            .captive, owningService, path.map(\.identity),
            """
            '\(owningService.identity)' lives longer than '\(kept.identity)', which has the lifetime '\(kept.lifetimeOfService)': \
            \(arrows(path.map(\.identity))). Use a `DependencyProvider` in '\(owningService.identity)', or give '\(kept.identity)' a \
            lifetime at least as long.
            """)
    }

    // The path leads from the shared service to the one that needs the service of a child container.
    init(captive identity: ServiceIdentity, outOfReachOf path: [AnyServiceRegistration]) {
        let owningService = path[0]
        let chain = path.map(\.identity) + [identity]
        self.init(
            .captive, owningService, chain,
            """
            '\(owningService.identity)' has the lifetime '\(owningService.lifetimeOfService)' and needs '\(identity)', which is \
            registered only in the child container (the request scope): \(arrows(chain)). Make '\(owningService.identity)' \
            scoped, or register '\(identity)' in the container of '\(owningService.identity)'.
            """)
    }
}

// MARK: - Strict findings

extension DependencyValidationError.Finding {
    /// For a registration with a closure, because validation does not know which services the closure resolves. If a file of check-wiring
    /// lists the needs of the closure, `need` is one for which the run time finds no type.
    init(opaque registration: AnyServiceRegistration, without need: SourceWiring.Need?, _ source: SourceWiring?) {
        let service = "'\(registration.identity)'"
        let text =
            if let need, let source {
                """
                \(service) needs '\(need.label)' according to '\(source.file)', but no registration of this type is found. Register it. If \
                it is registered, make its type internal instead of private.
                """
            } else if registration.key.isContainer {
                """
                \(service) is registered, so a service that takes it can resolve anything. Let each service take its dependencies as \
                parameters.
                """
            } else if registration.isDecorator {
                "\(service) has a decorator, which may resolve services from its container. Allow it if it does not."
            } else if registration.requirements != nil {
                "\(service) has an `afterCreation` closure, which may resolve services from its container. Allow it if it does not."
            } else {
                """
                \(service) is registered with a closure that may resolve services from its container. Let the closure take its \
                dependencies as parameters, or use `using:`.
                """
            }
        self.init(.opaque, registration, [registration.identity], text)
    }

    /// For a registration that shadows another one of the same container.
    init(duplicate registration: AnyServiceRegistration, of shadowed: AnyServiceRegistration) {
        let place = shadowed.place.map { " at \($0)" } ?? ""
        self.init(
            .duplicate, registration, [registration.identity],
            """
            '\(registration.identity)' is registered\(place), too, and this registration shadows that one. Remove one of them, or \
            use `replacing: true` here.
            """)
    }

    /// For a registration that no root depends on.
    init(unused registration: AnyServiceRegistration) {
        self.init(
            .unused, registration, [registration.identity],
            """
            No root depends on '\(registration.identity)'. Remove the registration, or add a root for the code that resolves it.
            """)
    }

    /// For an optional dependency that is not registered; with the registrations that may have been meant.
    init(
        optional identity: ServiceIdentity, of registration: AnyServiceRegistration,
        among others: [AnyServiceRegistration]
    ) {
        let near = Alternatives(to: identity, among: others)
        self.init(
            .optional, registration, [registration.identity, identity],
            """
            '\(registration.identity)' takes an optional '\(identity)', which is not registered\(near.names). Register it, or remove \
            the parameter.\(near.hints)
            """)
    }

    /// For a registration that was to replace others, but has replaced none.
    init(replacesNothing registration: AnyServiceRegistration) {
        self.init(
            .override, registration, [registration.identity],
            """
            '\(registration.identity)' is registered with `replacing: true`, but nothing was registered before. Register the service \
            that it replaces first, or remove `replacing: true`.
            """)
    }

    // The path leads from a root, which is resolved synchronously, to the service with the asynchronous factory.
    init(synchronous path: [AnyServiceRegistration]) {
        let service = path[path.count - 1]
        self.init(
            .async, path[0], path.map(\.identity),
            """
            '\(path[0].identity)' is resolved synchronously, but the factory of '\(service.identity)' is asynchronous: \
            \(arrows(path.map(\.identity))). Use `asyncResolve`, or make '\(service.identity)' a singleton and call `warmUp()`.
            """)
    }
}

/// The registrations that may have been meant instead of a missing one, in the words of a message.
private struct Alternatives {
    /// The kind of the finding: another name or other arguments may have been meant.
    let kind: DependencyValidationError.Finding.Kind
    /// Those of the same type, with another name or other arguments.
    let names: String
    /// Those that can be used as the missing type, each with its remedy.
    let hints: String

    init(to identity: ServiceIdentity, among others: [AnyServiceRegistration]) {
        let near = others.map(\.identity).filter { $0.type == identity.type }
        let isName = near.contains { $0.arguments == identity.arguments }
        kind = near.isEmpty ? .missing : isName ? .name : .arguments
        names = near.isEmpty ? "" : " (registered: " + near.map { "'\($0)'" }.joined(separator: ", ") + ")"
        let usable = others.filter {
            $0.identity.type != identity.type && canBeUsed($0.identity.type, as: identity.type) == true
        }
        hints = usable.prefix(8).map { other in
            let place = other.place.map { " at \($0)" } ?? ""
            let hint = """
                '\(other.identity)' is registered\(place) and can be used as '\(typeLabel(identity.type))'. Register it \
                with `for: \(TypeSpelling(identity.type).expression)`.
                """
            return " " + hint
        }.joined()
    }
}
