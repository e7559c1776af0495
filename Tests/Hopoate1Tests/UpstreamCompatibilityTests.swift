import Foundation
import Hopoate
import Testing

// Each call that existing code uses. One half of the test is that this file compiles in the Swift 5 language mode without a
// warning.

private protocol Logging { var text: String { get } }
private struct ConsoleLog: Logging { var text = "console" }
/// A typical existing service: a class with a variable that is not Sendable.
private final class Settings: Logging {
    var text = "settings"
}
private struct Refused: Error, Equatable {}

/// The protocol of an application that wants to replace the container, with the original methods.
private protocol ContainerLike {
    init()
    @discardableResult
    func register<Service>(
        service: Service.Type, cacheService: Bool, creator: @escaping () -> Service
    ) -> ServiceRegistration<Service>
    @discardableResult
    func register<Service>(
        _ instance: @autoclosure @escaping () -> Service, for service: Service.Type
    ) -> ServiceRegistration<Service>
    @discardableResult
    func overwriteExistingRegistrations<Service>(
        service: Service.Type, cacheService: Bool, creator: @escaping () -> Service
    ) -> ServiceRegistration<Service>
    @discardableResult
    func overwriteExistingRegistrations<Service>(
        withService instance: @autoclosure @escaping () -> Service, for service: Service.Type
    ) -> ServiceRegistration<Service>
    func resolve<Service>(_ serviceType: Service.Type) -> Service
    func optionalResolve<Service>(_ serviceType: Service.Type) -> Service?
    func canResolve<Service>(_ serviceType: Service.Type) -> Bool
    func remove<Service>(_ serviceRegistration: ServiceRegistration<Service>)
    static var shared: DependencyContainer { get }
}

extension DependencyContainer: ContainerLike {}

@Suite struct UpstreamCompatibilityTests {
    @Test func everyWayToRegisterCompilesAndFinds() {
        let container = DependencyContainer()
        container.register(service: (any Logging).self) { ConsoleLog(text: "1") }
        #expect(container.resolve((any Logging).self).text == "1")
        container.register(service: (any Logging).self, cacheService: true) { ConsoleLog(text: "2") }
        #expect(container.resolve((any Logging).self).text == "2")
        container.register(service: (any Logging).self, cacheService: false, creator: { ConsoleLog(text: "3") })
        #expect(container.resolve((any Logging).self).text == "3")
        container.register(ConsoleLog(text: "4"), for: (any Logging).self)
        #expect(container.resolve((any Logging).self).text == "4")
        let fifth: ServiceRegistration<any Logging> = container.register(Settings(), for: (any Logging).self)
        #expect(container.resolve((any Logging).self).text == "settings")
        container.remove(fifth)
        #expect(container.resolve((any Logging).self).text == "4")
    }

    @Test func everyWayToOverwriteCompilesAndReplaces() {
        let container = DependencyContainer()
        container.register(ConsoleLog(), for: (any Logging).self)
        container.overwriteExistingRegistrations(service: (any Logging).self) { ConsoleLog(text: "1") }
        #expect(container.resolve((any Logging).self).text == "1")
        container.overwriteExistingRegistrations(service: (any Logging).self, cacheService: false) {
            ConsoleLog(text: "2")
        }
        #expect(container.resolve((any Logging).self).text == "2")
        let last = container.overwriteExistingRegistrations(withService: Settings(), for: (any Logging).self)
        #expect(container.resolve((any Logging).self).text == "settings")
        container.remove(last)
        #expect(!container.canResolve((any Logging).self))
    }

    @Test func everyWayToResolveCompilesAndFinds() {
        let container = DependencyContainer()
        container.register(ConsoleLog(), for: (any Logging).self)
        #expect(container.resolve((any Logging).self).text == "console")
        #expect(container.optionalResolve((any Logging).self)?.text == "console")
        #expect(container.canResolve((any Logging).self))
        DependencyContainer.$shared.withValue(container) {
            #expect(resolve((any Logging).self).text == "console")
            #expect(optionalResolve((any Logging).self)?.text == "console")
            #expect(DependencyContainer.shared.resolve((any Logging).self).text == "console")
        }
    }

    @Test func methodsAndFunctionsCanBeReferredTo() {
        let container = DependencyContainer()
        container.register(ConsoleLog(), for: (any Logging).self)
        let asking: ((any Logging).Type) -> any Logging = container.resolve
        let asking2: ((any Logging).Type) -> (any Logging)? = container.optionalResolve
        let probing: ((any Logging).Type) -> Bool = container.canResolve
        let removing: (ServiceRegistration<any Logging>) -> Void = container.remove
        let freeAsking: ((any Logging).Type) -> any Logging = resolve
        let freeAsking2: ((any Logging).Type) -> (any Logging)? = optionalResolve
        // The metatype of a protocol resolves the type of its existential.
        #expect(asking((any Logging).self).text == "console")
        #expect(asking2((any Logging).self)?.text == "console")
        #expect(probing((any Logging).self))
        removing(container.register(ConsoleLog(text: "gone"), for: (any Logging).self))
        DependencyContainer.$shared.withValue(container) {
            #expect(freeAsking((any Logging).self).text == "console")
            #expect(freeAsking2((any Logging).self)?.text == "console")
        }
    }

    @Test func containerConformsToAProtocolWithTheOriginalMethods() {
        func use<Container: ContainerLike>(_ type: Container.Type) {
            let container = Container()
            container.register(service: (any Logging).self, cacheService: true) { ConsoleLog() }
            let token = container.register(Settings(), for: (any Logging).self)
            #expect(container.resolve((any Logging).self).text == "settings")
            container.remove(token)
            #expect(container.optionalResolve((any Logging).self)?.text == "console")
            let last = container.overwriteExistingRegistrations(withService: Settings(), for: (any Logging).self)
            container.remove(last)
            #expect(!container.canResolve((any Logging).self))
        }
        use(DependencyContainer.self)
    }

    @Test func bindingReturnsAndThrowsAsItsClosure() {
        let container = DependencyContainer()
        let answer = DependencyContainer.$shared.withValue(container) { 42 }
        #expect(answer == 42)
        DependencyContainer.$shared.withValue(
            container, operation: { #expect(DependencyContainer.shared === container) })
        #expect(throws: Refused()) { try DependencyContainer.$shared.withValue(container) { throw Refused() } }
        #expect(DependencyContainer.$shared.withValue(container) { DependencyContainer.$shared.get() } === container)
    }

    @Test func asynchronousBindingReturnsAndThrowsAsItsClosure() async {
        let container = DependencyContainer()
        let answer = await DependencyContainer.$shared.withValue(container) {
            await Task.yield()
            return DependencyContainer.shared === container ? 42 : 0
        }
        #expect(answer == 42)
        await #expect(throws: Refused()) {
            try await DependencyContainer.$shared.withValue(container) {
                await Task.yield()
                throw Refused()
            }
        }
    }

    @Test func wrappersTakeAContainerOrTheSharedOne() {
        struct Screen {
            @Dependency var log: any Logging
            @Dependency() var log2: any Logging
            @OptionalDependency var settings: Settings?
        }
        final class Presenter {
            @Dependency private var log: any Logging
            @Dependency(container: .shared) var log2: any Logging
            @OptionalDependency(container: DependencyContainer()) var nothing: (any Logging)?
            init(container: DependencyContainer) { _log = Dependency(container: container) }
            var text: String { log.text }
        }
        let container = DependencyContainer()
        container.register(ConsoleLog(), for: (any Logging).self)
        DependencyContainer.$shared.withValue(container) {
            let screen = Screen()
            #expect(screen.log.text == "console")
            #expect(screen.log2.text == "console")
            #expect(screen.settings == nil)
            screen.log = Settings()
            #expect(screen.log.text == "settings")
            let presenter = Presenter(container: container)
            #expect(presenter.text == "console")
            #expect(presenter.log2.text == "console")
            #expect(presenter.nothing == nil)
        }
    }
}

/// Code on the main actor, such as view models and their tests.
@MainActor @Suite struct MainActorCompatibilityTests {
    @MainActor private final class ViewModel {
        var title = "title"
        @Dependency var settings: Settings
    }

    @Test func mainActorCodeRegistersNonSendableServices() {
        let container = DependencyContainer()
        let model = ViewModel()
        let settings = Settings()
        container.register(settings, for: Settings.self)
        container.register(model, for: ViewModel.self)
        // A factory may use the actor on which it was declared.
        container.register(service: String.self, cacheService: false) { model.title }
        settings.text = "changed"
        model.title = "new"
        #expect(container.resolve(Settings.self).text == "changed")
        #expect(container.resolve(ViewModel.self) === model)
        #expect(container.resolve(String.self) == "new")
        #expect(container.withService(ViewModel.self) { $0.title } == "new")
    }

    @Test func mainActorCodeBindsAndStaysOnTheMainActor() async {
        let container = DependencyContainer()
        container.register(Settings(), for: Settings.self)
        let model = await DependencyContainer.$shared.withValue(container) {
            await Task.yield()
            MainActor.assertIsolated()
            return ViewModel()
        }
        #expect(model.settings === container.resolve(Settings.self))
    }

    @Test func anActorRegistersItsOwnState() async {
        actor Owner {
            let container = DependencyContainer()
            var state = Settings()
            func run() -> Bool {
                container.register(self.state, for: Settings.self)
                container.register(service: (any Logging).self, cacheService: false) { self.state }
                state = Settings()
                state.text = "second"
                // The actor owns the container, which owns the closure, which owns the actor.
                defer { container.removeAll() }
                return container.resolve(Settings.self) !== state
                    && container.resolve((any Logging).self).text == "second"
            }
        }
        #expect(await Owner().run())
    }
}
