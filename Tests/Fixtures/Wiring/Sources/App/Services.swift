import Hopoate
import Model

struct SystemTime: TimeSource { func now() -> Int { 7 } }
struct Console: MailSender { func send(_ text: String) { print(text) } }
struct Metered: MailSender {
    let inner: any MailSender
    func send(_ text: String) { inner.send(text) }
}
struct Memory: Store { func title(of id: Int) -> String { "title \(id)" } }
struct Limits: Policy {}

struct Reports: Sendable {
    let time: any TimeSource
    init(time: any TimeSource) { self.time = time }
}

struct Mailing: Sendable { let sender: any MailSender }

struct Copier: Sendable {
    let source: Bucket
    let target: Bucket
    init(source: Bucket, target: Bucket) { (self.source, self.target) = (source, target) }
}

final class Parent: Sendable {
    let child: LazyDependency<Child>
    init(child: LazyDependency<Child>) {
        self.child = child
        #if MISTAKE_5
            _ = child.resolve()
        #endif
    }
}

final class Child: Sendable {
    let parent: Parent
    init(parent: Parent) { self.parent = parent }
}

#if MISTAKE_4
    struct Chicken: Sendable { init(egg: Egg) {} }
    struct Egg: Sendable { init(chicken: Chicken) {} }
#endif

struct Session: Sendable { let id: RequestID }
struct Cart: Sendable { let session: Session }

struct Label: Sendable { let text: String }

struct Cache: Sendable {}

struct Page: Sendable {
    let cache: Cache?
    let policies: [Limits]
    let time: DependencyProvider<any TimeSource>
    init(cache: Cache?, policies: [Limits], time: DependencyProvider<any TimeSource>) {
        (self.cache, self.policies, self.time) = (cache, policies, time)
    }
}

struct Backup: Sendable {
    let retries: Int
    init(source: Bucket, time: any TimeSource, targets: [Bucket], retries: Int) { self.retries = retries }
}

struct Archive: Sendable {
    init(database: Database) {}
}

/// Answers a request with the services that it resolves.
final class Controller: Sendable {
    let page: Page
    let store: any Store
    init(page: Page, store: any Store) { (self.page, self.store) = (page, store) }
}

struct Footer: Sendable {
    @Dependency private var time: any TimeSource
    func text() -> String { "at \(time.now())" }
}
