import Foundation
import Hopoate
import Testing

protocol Storing: Sendable {}
private struct DiskStore: Storing {}
private struct RequestInfo: Sendable {
    let id: String
}
private final class Session: Sendable {
    init(info: RequestInfo) {}
}
private struct Basket: Sendable {
    init(session: Session, store: any Storing) {}
}
private struct OrderController: Sendable {
    init(basket: Basket) {}
}
private struct ProductController: Sendable {
    init(store: any Storing) {}
}
private final class Statistics: Sendable {
    init(basket: Basket) {}
}
private final class Recent: Sendable {
    init(info: RequestInfo) {}
}
private final class History: Sendable {
    init(infos: [RequestInfo]) {}
}
private final class Archive: Sendable {
    init(recent: Recent) {}
}
private final class Later: Sendable {
    init(info: LazyDependency<RequestInfo>) {}
}
private final class LaterBasket: Sendable {
    init(basket: LazyDependency<Basket>) {}
}
private final class First: Sendable {
    init(second: Second) {}
}
private final class Second: Sendable {
    init(third: Third) {}
}
private final class Third: Sendable {
    init(first: First) {}
}
private struct Unique: ~Copyable {}

/// Validation of a server: the services that routes resolve, with what a request brings.
@Suite struct ValidateRootsTests {
    private struct Unavailable: Error {}

    private let app = DependencyContainer()

    /// Registers a shop that is complete inside a request, or lacks some services.
    private func registerShop(without missing: any Any.Type...) {
        func has(_ type: any Any.Type) -> Bool { !missing.contains { $0 == type } }
        if has((any Storing).self) { app.register(DiskStore(), for: (any Storing).self) }
        app.register(Session.self, lifetime: .scoped, using: Session.init)
        if has(Basket.self) { app.register(Basket.self, lifetime: .transient, using: Basket.init) }
        if has(OrderController.self) {
            app.register(OrderController.self, lifetime: .transient, using: OrderController.init)
        }
        app.register(ProductController.self, lifetime: .transient, using: ProductController.init)
    }

    @Sendable private func addInfo(to request: DependencyContainer) {
        request.register(RequestInfo(id: "sample"), for: RequestInfo.self)
    }

    private let orderRoute = DependencyRoot(
        OrderController.self, neededBy: "GET /orders/:id", fileID: "Shop/Routes.swift", line: 12)
    private let productRoute = DependencyRoot(
        ProductController.self, neededBy: "GET /products", fileID: "Shop/Routes.swift", line: 15)

    private func findings(
        _ roots: [DependencyRoot], _ location: SourceLocation = #_sourceLocation
    ) -> [DependencyValidationError.Finding] {
        let error = #expect(throws: DependencyValidationError.self, sourceLocation: location) {
            try app.validate(roots: roots, prepare: addInfo)
        }
        return error?.findings ?? []
    }

    // MARK: - Without findings

    @Test func aShopIsValidWithTheServicesOfARequest() throws {
        registerShop()
        let report = try app.validate(roots: OrderController.self, ProductController.self) { request in
            request.register(RequestInfo(id: ""), for: RequestInfo.self)
        }
        #expect(report.checked == 6)
        #expect(report.unknown.isEmpty)
        #expect(throws: DependencyValidationError.self) { try app.validate() }
    }

    @Test func rootsOfRoutesNeedNoOtherArguments() throws {
        app.register(DiskStore(), for: (any Storing).self)
        app.register(ProductController.self, lifetime: .transient, using: ProductController.init)
        try app.validate(roots: [productRoute, productRoute])
        try app.validate(roots: ProductController.self)
        try app.validate(roots: (any Storing).self, ProductController.self)
    }

    @Test func anEmptyListChecksTheRegistrationsInsideARequest() throws {
        registerShop()
        #expect(try app.validate(roots: [], prepare: addInfo).checked == 6)
        #expect(throws: DependencyValidationError.self) { try app.validate(roots: []) }
    }

    @Test func aRootMayBeRegisteredByTheRequest() throws {
        try app.validate(roots: RequestInfo.self, prepare: addInfo)
        #expect(!app.canResolve(RequestInfo.self))
    }

    @Test func aRootMayBeNoncopyable() throws {
        let root = DependencyRoot(Unique.self, neededBy: "a job")
        #expect(findings([root]).map(\.kind) == [.missing])
        app.register(noncopyable: Unique(), for: Unique.self)
        try app.validate(roots: [root])
    }

    @Test func theFactoryOfARootIsListedAsUnknown() throws {
        app.register(ProductController.self, lifetime: .transient) { ProductController(store: $0.resolve()) }
        let report = try app.validate(roots: [productRoute], prepare: addInfo)
        #expect(report.unknown.map { ObjectIdentifier($0.service) } == [ObjectIdentifier(ProductController.self)])
    }

    // MARK: - Missing roots

    @Test func aMissingRootIsFoundWithWhatNeedsIt() {
        let found = findings([orderRoute])
        #expect(found.count == 1)
        #expect(found.first?.kind == .missing)
        #expect(found.first?.service == OrderController.self)
        #expect(found.first?.place == "Shop/Routes.swift:12")
        #expect(found.first?.roots.map(\.neededBy) == ["GET /orders/:id"])
        #expect(found.first?.chain == [shown(OrderController.self)])
        #expect(
            found.first?.description == """
                Shop/Routes.swift:12: error: '\(shown(OrderController.self))' is not registered. Register it. \
                Needed by 'GET /orders/:id' at Shop/Routes.swift:12. [hopoate.missing]
                """)
    }

    @Test func aMissingRootWithoutATextIsFoundWithItsPlace() {
        let validate = { try app.validate(roots: OrderController.self, ProductController.self) }
        let line = #line - 1
        let error = #expect(throws: DependencyValidationError.self) { try validate() }
        #expect(
            error?.findings.map { ObjectIdentifier($0.service) } == [
                ObjectIdentifier(OrderController.self), ObjectIdentifier(ProductController.self),
            ])
        #expect(error?.findings.allSatisfy { $0.place == "HopoateTests/ValidateRootsTests.swift:\(line)" } == true)
        let end = """
            Needed by the root '\(shown(ProductController.self))' at \
            HopoateTests/ValidateRootsTests.swift:\(line). [hopoate.missing]
            """
        #expect(error?.findings.last?.description.hasSuffix(end) == true)
        #expect(error?.description.hasPrefix("2 findings in the registrations:\nHopoateTests/Val") == true)
    }

    @Test func aMissingRootNamesSimilarRegistrations() {
        app.register(DiskStore(), for: DiskStore.self)
        app.register(DiskStore(), for: (any Storing).self, named: "cold")
        let found = findings([DependencyRoot((any Storing).self, named: "hot", neededBy: "GET /stores")])
        let text = found.first?.description ?? ""
        #expect(found.count == 1)
        #expect(found.first?.chain == ["any HopoateTests.Storing named \"hot\""])
        #expect(text.contains(": error: 'any HopoateTests.Storing named \"hot\"' is not registered (registered: '"))
        #expect(text.contains("(registered: 'any HopoateTests.Storing named \"cold\"'). Register it. '"))
        #expect(
            text.contains(
                "can be used as 'any HopoateTests.Storing'. Register it with `for: (any HopoateTests.Storing).self`."))
    }

    @Test func aNamedRootIsFoundUnderItsName() throws {
        let root = DependencyRoot((any Storing).self, named: DependencyName("co" + "ld"))
        #expect(root.name == "cold")
        app.register(DiskStore(), for: (any Storing).self)
        #expect(findings([root]).map(\.kind) == [.name])
        app.register(DiskStore(), for: (any Storing).self, named: "cold")
        try app.validate(roots: [root])
    }

    @Test func aRootThatTakesArgumentsIsMissingWithoutThem() {
        app.register(Session.self, lifetime: .transient) { (_, id: String) in Session(info: RequestInfo(id: id)) }
        let found = findings([DependencyRoot(Session.self)])
        #expect(found.map(\.kind) == [.arguments])
        let text = found.first?.description
        #expect(text?.contains("(registered: '\(shown(Session.self))(Swift.String)')") == true)
    }

    @Test func aMissingRootIsReportedOnceForAllThatNeedIt() {
        let routes = (1...6).map {
            DependencyRoot(OrderController.self, neededBy: "GET /\($0)", fileID: "Routes.swift", line: $0)
        }
        func end(_ roots: [DependencyRoot]) -> Substring? {
            let found = findings(roots)
            #expect(found.count == 1)
            #expect(found.first?.roots.count == roots.count)
            return (found.first?.description).flatMap { text in
                let end = text.range(of: " [hopoate.missing]")?.lowerBound ?? text.endIndex
                return text.range(of: "Needed by").map { text[$0.lowerBound..<end] }
            }
        }
        #expect(
            end(Array(routes.prefix(2))) == "Needed by 'GET /1' at Routes.swift:1 and 'GET /2' at Routes.swift:2.")
        #expect(end(routes)?.hasSuffix("'GET /3' at Routes.swift:3 and 3 other roots.") == true)
        #expect(end(routes)?.contains("'GET /4'") == false)
        #expect(end([routes[0], routes[0]]) == "Needed by 'GET /1' at Routes.swift:1.")
        #expect(end(Array(routes.prefix(4)))?.hasSuffix("Routes.swift:3 and 'GET /4' at Routes.swift:4.") == true)
    }

    // MARK: - Dependencies of roots

    @Test func aRegistrationThatOnlyARouteNeedsIsMissingWithTheRoute() {
        registerShop(without: Basket.self)
        let found = findings([productRoute, orderRoute])
        #expect(found.map(\.kind) == [.missing])
        #expect(found.first?.service == OrderController.self)
        #expect(found.first?.roots.map(\.neededBy) == ["GET /orders/:id"])
        #expect(found.first?.description.contains("Needed by 'GET /orders/:id' at Shop/Routes.swift:12. [") == true)
    }

    @Test func aFindingNamesAllRootsAboveItThroughTheScopedChain() {
        registerShop(without: (any Storing).self)
        let found = findings([orderRoute, productRoute, DependencyRoot(Session.self)])
        #expect(
            found.map { ObjectIdentifier($0.service) } == [
                ObjectIdentifier(Basket.self), ObjectIdentifier(ProductController.self),
            ])
        #expect(found.map { $0.roots.map(\.neededBy) } == [["GET /orders/:id"], ["GET /products"]])
        let withoutInfo = #expect(throws: DependencyValidationError.self) { try app.validate(roots: [orderRoute]) }
        let session = withoutInfo?.findings.first { $0.service == Session.self }
        #expect(session?.roots.map(\.neededBy) == ["GET /orders/:id"])
    }

    @Test func aFindingThatNoRootNeedsNamesNone() {
        registerShop()
        app.register(Recent.self, lifetime: .transient, using: { (_: Int) in Recent(info: RequestInfo(id: "")) })
        let found = findings([orderRoute])
        #expect(found.count == 1)
        #expect(found.first?.roots.isEmpty == true)
        #expect(found.first?.description.contains("Needed by") == false)
    }

    @Test func aCycleNamesTheRootsAboveIt() {
        app.register(First.self, using: First.init)
        app.register(Second.self, using: Second.init)
        app.register(Third.self, using: Third.init)
        app.register(ProductController.self, using: { (_: Third) in ProductController(store: DiskStore()) })
        let found = findings([productRoute])
        #expect(found.map(\.kind) == [.circular])
        #expect(found.first?.roots.map(\.neededBy) == ["GET /products"])
    }

    @Test func allFindingsComeAtOnceMissingRootsFirst() {
        registerShop(without: OrderController.self, (any Storing).self)
        app.register(Statistics.self, using: Statistics.init)
        let found = findings([productRoute, orderRoute, DependencyRoot(Statistics.self, neededBy: "GET /statistics")])
        #expect(found.first?.service == OrderController.self)
        #expect(Set(found.map(\.kind)) == [.missing, .captive])
        #expect(found.filter { $0.kind == .captive }.allSatisfy { $0.roots.map(\.neededBy) == ["GET /statistics"] })
    }

    // MARK: - Services that outlive a request

    @Test func aSingletonMustNotNeedTheServicesOfARequest() {
        app.register(Recent.self, using: Recent.init)
        let found = findings([DependencyRoot(Recent.self, neededBy: "GET /recent", fileID: "Routes.swift", line: 1)])
        #expect(found.map(\.kind) == [.captive])
        #expect(found.first?.service == Recent.self)
        #expect(found.first?.chain == [shown(Recent.self), shown(RequestInfo.self)])
        let text = found.first?.description ?? ""
        #expect(
            text.contains(
                "has the lifetime 'singleton' and needs '\(shown(RequestInfo.self))', which is registered only in"
            ))
        #expect(text.contains("only in the child container (the request scope): "))
        #expect(text.hasSuffix("Needed by 'GET /recent' at Routes.swift:1. [hopoate.captive]"))
    }

    /// The finding of the one that would keep the service is enough.
    @Test func aSingletonThatNeedsAnotherSuchSingletonHasNoFindingOfItsOwn() {
        app.register(Recent.self, using: Recent.init)
        app.register(Archive.self, using: Archive.init)
        let found = findings([DependencyRoot(Archive.self, neededBy: "GET /archive")])
        #expect(found.map(\.kind) == [.captive])
        #expect(found.first?.chain == [shown(Recent.self), shown(RequestInfo.self)])
        #expect(found.first?.roots.map(\.neededBy) == ["GET /archive"])
    }

    @Test func aSingletonMustNotNeedTheServicesOfARequestThroughOthers() {
        registerShop()
        app.register(Session.self, lifetime: .transient, using: Session.init)
        app.register(Statistics.self, using: Statistics.init)
        let found = findings([DependencyRoot(Statistics.self)])
        #expect(found.map(\.kind) == [.captive])
        let chain: [any Any.Type] = [Statistics.self, Basket.self, Session.self, RequestInfo.self]
        #expect(found.first?.chain == chain.map { shown($0) })
    }

    @Test func aScopedServiceInASingletonIsCaptive() {
        registerShop()
        app.register(Statistics.self, using: Statistics.init)
        let found = findings([orderRoute, DependencyRoot(Statistics.self, neededBy: "GET /statistics")])
        #expect(found.map(\.kind) == [.captive])
        #expect(found.map { $0.roots.map(\.neededBy) } == [["GET /statistics"]])
        #expect(found.first?.chain.last == shown(Session.self))
    }

    @Test func aLazyDependencyOfASingletonIsNotFoundInTheRequest() {
        registerShop()
        app.register(Session.self, lifetime: .transient, using: Session.init)
        app.register(Later.self, using: Later.init)
        app.register(LaterBasket.self, using: LaterBasket.init)
        let found = findings([DependencyRoot(LaterBasket.self, neededBy: "GET /later")])
        #expect(found.map(\.kind) == [.missing, .missing])
        #expect(
            found.allSatisfy { $0.description.contains("registered only in the child container (the request scope). ") }
        )
        #expect(
            Set(found.map { ObjectIdentifier($0.service) }) == [
                ObjectIdentifier(Later.self), ObjectIdentifier(Session.self),
            ])
        #expect(found.first { $0.service == Session.self }?.roots.map(\.neededBy) == ["GET /later"])
        #expect(found.first { $0.service == Later.self }?.roots.isEmpty == true)
    }

    /// The captive dependency of one shared service explains a missing one of that service only.
    @Test func aMissingServiceOfAHandleIsFoundBesideACaptiveOne() {
        registerShop()
        app.register(Session.self, lifetime: .transient, using: Session.init)
        app.register(Statistics.self, using: Statistics.init)
        app.register(LaterBasket.self, using: LaterBasket.init)
        let found = findings([DependencyRoot(LaterBasket.self, neededBy: "GET /later")])
        #expect(found.map(\.kind) == [.captive, .missing])
        #expect(found.map { $0.roots.map(\.neededBy) } == [[], ["GET /later"]])
        #expect(found.last?.chain == [shown(Session.self), shown(RequestInfo.self)])
    }

    /// Validation and the run agree.
    @Test func aListOfServicesOfARequestIsCaptiveInASingleton() {
        app.register(History.self, using: History.init)
        let found = findings([DependencyRoot(History.self)])
        #expect(found.map(\.kind) == [.captive])
        let request = app.makeChild()
        addInfo(to: request)
        let error = #expect(throws: DependencyError.self) { try request.require(History.self) }
        #expect(error?.reason == .captive && error?.service == RequestInfo.self)
        #expect(error?.chain == found.first?.chain)
        // Nobody has such services.
        let missing = failure { () throws(DependencyError) in try app.require(History.self) }
        #expect(missing?.reason == .notRegistered && missing?.service == [RequestInfo].self)
    }

    // MARK: - The child

    @Test func validationOfRootsCreatesNothing() throws {
        registerShop()
        app.register((any Storing).self, named: "slow") { _ async throws -> any Storing in
            Issue.record("an asynchronous factory ran")
            throw Unavailable()
        }
        app.register(
            ProductController.self,
            using: { (_: any Storing) async throws -> ProductController in
                Issue.record("an asynchronous initializer ran")
                throw Unavailable()
            })
        let slow = DependencyRoot((any Storing).self, named: "slow")
        let report = try app.validate(roots: [orderRoute, productRoute, slow]) { request in
            request.register(RequestInfo.self, lifetime: .scoped) { _ in
                Issue.record("a factory ran")
                return RequestInfo(id: "")
            }
        }
        #expect(report.unknown.count == 2)  // the factory of the request and the one with the name
    }

    @Test func theErrorOfTheClosureIsThrownAndTheChildIsDisposedOf() async {
        let tracker = Tracker()
        let hooks = Locked(0)
        #expect(throws: Unavailable.self) {
            try app.validate(roots: [orderRoute]) { request in
                request.register(Tracked.self, lifetime: .singleton) { _ in
                    tracker.make()
                } onDispose: { _ in
                    _ = hooks.next()
                }
                _ = request.resolve(Tracked.self)
                throw Unavailable()
            }
        }
        #expect(hooks.current == 1)
        await expectGone(tracker)
    }

    @Test func theChildEndsWithTheValidation() async throws {
        let tracker = Tracker()
        let kept = Locked<DependencyContainer?>(nil)
        app.register(DiskStore(), for: (any Storing).self)
        for roots in [[], [orderRoute]] {
            _ = try? app.validate(roots: roots) { request in
                request.register(tracker.make(), for: Tracked.self)
                kept.withLock { $0 = request }
            }
            let child = try #require(kept.take())
            #expect(child.isSealed)
            let error = #expect(throws: DependencyError.self) { try child.require(Tracked.self) }
            #expect(error?.reason == .shutDown)
        }
        #expect(app.registrations.count == 1)
        #expect(!app.isSealed)
        await expectGone(tracker)
    }

    @Test func aSealedContainerIsValidatedWithAnUnsealedChild() throws {
        registerShop()
        app.seal()
        try app.validate(roots: OrderController.self, prepare: addInfo)
    }

    @Test func theChildShadowsTheContainer() throws {
        app.register(ProductController.self, lifetime: .transient, using: ProductController.init)
        app.register(DiskStore(), for: (any Storing).self)
        #expect(throws: DependencyValidationError.self) {
            try app.validate(roots: [productRoute]) { request in
                request.register(
                    ProductController.self, using: { (_: Session) in ProductController(store: DiskStore()) })
            }
        }
        try app.validate(roots: [productRoute])
    }

    @Test func aChildIsValidatedWithTheServicesOfItsParents() throws {
        registerShop()
        let tenant = app.makeChild()
        try tenant.validate(roots: [orderRoute], prepare: addInfo)
        tenant.register(Recent.self, using: Recent.init)
        #expect(throws: DependencyValidationError.self) {
            try tenant.validate(roots: [orderRoute], prepare: addInfo)
        }
    }

    @Test func aContainerWithoutRegistrationsAfterItsShutdownHasMissingRoots() throws {
        registerShop()
        try app.shutdownWithoutAwaitingHooks()
        #expect(findings([orderRoute]).map(\.kind) == [.missing])
    }
}

/// Validation while other threads register and remove services.
@Suite(.mayBlock) struct ValidateRootsConcurrencyTests {
    @Test func validationRunsBesideRegistrations() {
        let app = DependencyContainer()
        app.register(DiskStore(), for: (any Storing).self)
        app.register(ProductController.self, lifetime: .transient, using: ProductController.init)
        runThreads(4) { thread in
            for round in 0..<200 {
                if thread < 2 {
                    let name = DependencyName("\(thread) \(round)")
                    let token = app.register(ProductController.self, named: name, using: ProductController.init)
                    if round % 3 > 0 { app.remove(token) }
                } else {
                    do {
                        try app.validate(roots: ProductController.self, RequestInfo.self) {
                            $0.register(RequestInfo(id: "\(round)"), for: RequestInfo.self)
                        }
                    } catch {
                        Issue.record(error)
                    }
                }
            }
        }
    }
}
