// Containers that are warmed up and watched while other threads create and register services: lists that leave a lock must not change
// while threads still read them.
import Foundation
import Hopoate
import HopoateServer

private final class Database: Sendable {}
private final class Cache: Sendable {
    init(_ database: Database) {}
}

/// Observes nothing.
private struct Silent: DependencyInstrument {
    func observer(of dependency: ObservedDependency) -> (any DependencyObserver)? { nil }
}

@available(macOS 13, *)
func raceStarts() {
    let watched = DependencyContainer()
    let group = DispatchGroup()
    func start(_ body: @escaping @Sendable () -> Void) {
        group.enter()
        Thread.detachNewThread {
            body()
            group.leave()
        }
    }
    for _ in 0..<2 {
        start {
            // Every warm-up hears of every creation, and every instrument of every registration.
            for round in 0..<1_000 {
                let other = DependencyContainer()
                other.register(Int.self) { _ in round }
                precondition(other.resolve(Int.self) == round)
                watched.remove(watched.register(round, for: Int.self))
            }
        }
        group.enter()
        Task.detached {
            for _ in 0..<100 {
                let started = DependencyContainer()
                started.register(Database.self) { _ async in Database() }
                started.register(Cache.self, using: Cache.init)
                let report = try await started.warmUp(limit: nil)
                precondition(report.creations.count == 2)
            }
            group.leave()
        }
    }
    start { for _ in 0..<200 { watched.instrument(with: Silent()) } }
    group.wait()
}
