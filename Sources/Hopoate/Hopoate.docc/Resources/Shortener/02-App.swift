import Hopoate

@main
struct App {
    static func main() async {
        let container = DependencyContainer.shared
        container.register(MemoryLinkStore(), for: (any LinkStore).self)
        container.register(Shortener.self, using: Shortener.init)

        let shortener = container.resolve(Shortener.self)
        while let line = readLine() {
            print(await shortener.answer(to: line))
        }
    }
}
