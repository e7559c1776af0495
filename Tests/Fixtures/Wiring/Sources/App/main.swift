import Hopoate
import Model

let container = DependencyContainer()
try container.install { AppModule() }

let isProduction = true
#if MISTAKE_20
    if !isProduction { try container.validate() }
#else
    try container.validate(roots: Controller.self, Cart.self) { request in
        request.register(RequestID(0), for: RequestID.self)
    }
#endif

/// Answers a request in a scope of its own.
func respond(_ number: Int) async throws {
    try await container.withChild { child in
        #if !MISTAKE_19
            child.register(RequestID(number), for: RequestID.self)
        #endif
    } operation: { child in
        let controller: Controller = try child()
        print(controller.store.title(of: number), try child.require(Cart.self).session.id.number)
        #if MISTAKE_15
            print(try child.require(Label.self, arguments: "label", number).text)
        #else
            print(try child.require(Label.self, arguments: number, "label").text)
        #endif
        let job = try child.startJob(keeping: RequestID.self) { job in
            print(try job.require(Cart.self).session.id.number)
        }
        try await job.value
        #if MISTAKE_4
            _ = try child.require(Chicken.self)
        #endif
        #if MISTAKE_11
            _ = try child.require(Cache.self)
        #endif
    }
}

try await respond(1)
try container.require(Mailing.self).sender.send("mail")
print(try container.service(Reports.self).time.now(), try container.require(Copier.self).source.region)
_ = try await container.asyncResolve(Archive.self)
print(try container.require(Backup.self).retries)
print(try container.require(Child.self).parent.child.resolve() === container.resolve(Child.self))
DependencyContainer.$shared.withValue(container) { print(Footer().text()) }

#if MISTAKE_IN_THE_LANGUAGE
    let number: Int = "text"
#endif
