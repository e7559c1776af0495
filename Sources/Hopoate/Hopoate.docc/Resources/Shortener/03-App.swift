import Hopoate

@main
struct App {
    static func main() async throws {
        let container = DependencyContainer.shared
        container.register(Database.self) { _ in
            try await Database.open()
        }
        container.register((any LinkStore).self, using: DatabaseLinkStore.init)
        container.register(Shortener.self, using: Shortener.init)
        try await container.warmUp()

        let shortener = container.resolve(Shortener.self)
        while let line = readLine() {
            print(await shortener.answer(to: line))
        }
    }
}
