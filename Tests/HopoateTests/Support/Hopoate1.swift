import Hopoate

/// The forms of Hopoate 1 that do not check sendability. Calls of requirements have no warning in the Swift 6 language mode.
protocol Hopoate1 {
    @discardableResult
    func register<Service>(
        _ instance: @autoclosure @escaping () -> Service, for service: Service.Type
    ) -> ServiceRegistration<Service>
    @discardableResult
    func register<Service>(
        service: Service.Type, cacheService: Bool, creator: @escaping () -> Service
    ) -> ServiceRegistration<Service>
    @discardableResult
    func overwriteExistingRegistrations<Service>(
        service: Service.Type, cacheService: Bool, creator: @escaping () -> Service
    ) -> ServiceRegistration<Service>
}

extension DependencyContainer: Hopoate1 {
    /// The container, for tests of registrations that only a form of Hopoate 1 makes.
    var hopoate1: any Hopoate1 { self }
}
