// Parameters of initializers that wrap a service: optionals, arrays, lazy dependencies and providers.

/// A parameter type that wraps a service, and knows how to resolve it.
protocol ParameterForm {
    /// Makes the parameter from the services of a container that have the name.
    static func make(in container: DependencyContainer, named name: DependencyName?) throws(DependencyError) -> Self
    /// Makes the parameter in an asynchronous factory, where services may be created asynchronously.
    static func make(
        suspendingIn container: DependencyContainer, named name: DependencyName?
    ) async throws(DependencyError) -> Self
    /// The service with the name, and how the parameter uses it.
    static func requirement(named name: DependencyName?) -> Requirement
}

extension ParameterForm {
    static func make(
        suspendingIn container: DependencyContainer, named name: DependencyName?
    ) async throws(DependencyError) -> Self {
        try make(in: container, named: name)
    }

    /// The service without a name, and how the parameter uses it.
    static var requirement: Requirement { requirement(named: nil) }
}

extension Optional: ParameterForm {
    static func make(in container: DependencyContainer, named name: DependencyName?) throws(DependencyError) -> Self {
        try container.find(ServiceKey<Wrapped>(named: name))
    }

    static func make(
        suspendingIn container: DependencyContainer, named name: DependencyName?
    ) async throws(DependencyError) -> Self {
        guard container.canResolve(Wrapped.self, named: name) else { return nil }
        // Without a place: the error gets that of the call around it.
        return try await container.asyncResolve(Wrapped.self, named: name, fileID: CallSite.unknown.fileID, line: 0)
    }

    static func requirement(named name: DependencyName?) -> Requirement {
        Requirement(ServiceKey<Wrapped>(named: name), .optional)
    }
}

extension Array: ParameterForm {
    static func make(in container: DependencyContainer, named name: DependencyName?) throws(DependencyError) -> Self {
        var services: Self = []
        let key = ServiceKey<Element>(named: name)
        for (registration, resolution) in try container.allRegistrations(key) {
            services.append(try registration.resolve(key, resolution))
        }
        return services
    }

    static func make(
        suspendingIn container: DependencyContainer, named name: DependencyName?
    ) async throws(DependencyError) -> Self {
        var services: Self = []
        let key = ServiceKey<Element>(named: name)
        for (registration, resolution) in try container.allRegistrations(key) {
            if let factory = registration.factory as? ServiceFactory<Element, Void> {
                services.append(try await factory.resolve(suspending: key, (), resolution))
            } else {
                services.append(try registration.resolve(key, resolution))
            }
        }
        return services
    }

    static func requirement(named name: DependencyName?) -> Requirement {
        Requirement(ServiceKey<Element>(named: name), .all)
    }
}

extension DependencyContainer {
    /// Returns the registrations of a key, here and in the parents, in the order of `resolveAll`, each with a resolution for it.
    ///
    /// Throws an error if there is none: a parameter like `[String]` is rather a forgotten argument than an empty list of services.
    fileprivate func allRegistrations<Service>(
        _ key: ServiceKey<Service>
    ) throws(DependencyError) -> [(registration: ServiceRegistration<Service>, resolution: Resolution)] {
        let registrations = allRegistrations(key.erased).map { entry in
            (entry.registration(of: Service.self), Resolution(container: self, owner: entry.owner.object))
        }
        if registrations.isEmpty {
            throw DependencyError(missing: ServiceKey<[Service]>().identity, of: key.identity, in: self, nil)
        }
        return registrations
    }
}

/// Returns the dependencies of an initializer with these parameters.
@usableFromInline
func requirements<each Parameter>(_ types: repeat (each Parameter).Type) -> [Requirement] {
    var requirements: [Requirement] = []
    for type in repeat each types { requirements.append(requirement(type)) }
    return requirements
}

/// Returns the dependency of a parameter that takes a service with a name, or one without.
func requirement<Parameter>(_ type: Parameter.Type, named name: DependencyName? = nil) -> Requirement {
    var requirement = Requirement(ServiceKey<Parameter>(named: name), .required)
    requirement.alternative = (type as? any ParameterForm.Type).map { Box($0.requirement(named: name)) }
    return requirement
}
