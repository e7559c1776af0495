import Foundation
import Hopoate

@main
struct App {
    static func main() async throws {
        let container = DependencyContainer.shared
        registerServices(in: container)
        do {
            try makeRequest(0, in: container).validate()
        } catch {
            print(error)
            exit(1)
        }
        container.seal()
        try await container.warmUp()

        var count = 0
        while let line = readLine() {
            count += 1
            let request = makeRequest(count, in: container)
            print(await request.resolve(Shortener.self).answer(to: line))
            print(await request.resolve(RequestLog.self).summary)
        }

        try await container.shutdown()  // returns when the database is closed
    }
}
