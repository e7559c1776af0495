import Hopoate

@main
struct App {
    static func main() async {
        let container = DependencyContainer.shared
        container.register(MemoryLinkStore(), for: (any LinkStore).self)

        let store = container.resolve((any LinkStore).self)
        let number = await store.add("https://swift.org")
        print(number)
    }
}
