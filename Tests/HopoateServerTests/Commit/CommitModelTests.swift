import Hopoate
import HopoateServer
import Testing

/// Random programs of commits and other changes, compared with a model.
///
/// The model: a generation has the children that began between two commits, and for each key that was committed later the stack from before.
/// A child finds the stack of its generation, and the one of the container if there is none. An instance is disposed of when its
/// registration is in no stack any more. A singleton of the container that uses a service holds the one that it was created with, until a
/// commit rebuilds it.
@Suite struct CommitModelTests {
    private final class Item: Sendable {
        let number: Int

        init(_ number: Int) { self.number = number }
    }

    private struct User: Sendable {
        let item: Item

        init(item: Item) { self.item = item }
    }

    private struct Refused: Error {}

    private final class Program {
        private static let names: [DependencyName?] = [nil, "one", "two", "three"]

        private var random: SplitMix64
        private let app = DependencyContainer.allowingCommits { Issue.record($0) }
        private var tokens: [Int: ServiceRegistration<Item>] = [:]
        private var children: [(container: DependencyContainer, generation: Int)] = []
        private let created = Locked(Set<Int>())
        private let disposals = Locked([Int: Int]())
        private var next = 0
        private let seed: UInt64

        // The model. Stacks are newest first.
        private var stacks: [[Int]] = [[], [], [], []]
        private var generation = 0
        /// The number of the item that the user has; nil if there is no user.
        private var used: Int?
        private var shown: [Int: [Int: [Int]]] = [:]

        init(seed: UInt64) {
            self.seed = seed
            random = SplitMix64(seed: seed)
            app.register(User.self, using: User.init)
        }

        private func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

        private func register(_ key: Int, in container: DependencyContainer, replacing: Bool = false) -> Int {
            next += 1
            let (number, created, disposals) = (next, created, disposals)
            tokens[number] = container.register(
                Item.self, named: Self.names[key], lifetime: .singleton, replacing: replacing,
                factory: { _ in
                    created.withLock { _ = $0.insert(number) }
                    return Item(number)
                }, onDispose: { item in disposals.withLock { $0[item.number, default: 0] += 1 } })
            return number
        }

        private func stack(_ key: Int, of generation: Int) -> [Int] { shown[generation]?[key] ?? stacks[key] }

        private func commit() async throws {
            let (fails, isRebuilding) = (pick(4) == 0, pick(2) == 0)
            let keys = Set((0...pick(3)).map { _ in pick(4) })
            var new: [Int: [Int]] = [:]
            let isRefused: Bool
            do {
                try await app.commit(rebuildingDependents: isRebuilding) { next in
                    for key in keys {
                        for _ in 0...pick(2) { new[key, default: []].insert(register(key, in: next), at: 0) }
                        if pick(2) == 0 {
                            #expect(next.resolve(Item.self, named: Self.names[key]).number == new[key]?.first)
                        }
                    }
                    if fails { throw Refused() }
                }
                isRefused = false
            } catch is Refused { isRefused = true }
            #expect(isRefused == fails)
            if fails { return }
            for generation in Set(children.map(\.generation)) {
                for key in keys where shown[generation]?[key] == nil {
                    shown[generation, default: [:]][key] = stacks[key]
                }
            }
            for (key, stack) in new { stacks[key] = stack }
            if isRebuilding, used != nil, let newest = new[0]?.first { used = newest }
            generation += 1
        }

        private func remove() {
            guard let (number, token) = tokens.randomElement(using: &random) else { return }
            app.remove(token)
            tokens[number] = nil
            for key in stacks.indices { stacks[key].removeAll { $0 == number } }
            for generation in shown.keys {
                for key in shown[generation]?.keys.map({ $0 }) ?? [] {
                    shown[generation]?[key]?.removeAll { $0 == number }
                }
            }
        }

        private func look(_ container: DependencyContainer, _ generation: Int) {
            for key in stacks.indices {
                let expected = stack(key, of: generation)
                let name = Self.names[key]
                switch pick(3) {
                case 0: #expect(container.canResolve(Item.self, named: name) == !expected.isEmpty, "seed \(seed)")
                case 1:
                    let found = container.optionalResolve(Item.self, named: name)?.number
                    #expect(found == expected.first, "seed \(seed)")
                default:
                    #expect(container.resolveAll(Item.self, named: name).map(\.number) == expected, "seed \(seed)")
                }
            }
            if pick(4) == 0 {
                let all = container.resolveAll(Item.self, includingNamed: true).map(\.number)
                #expect(Set(all) == Set(stacks.indices.flatMap { stack($0, of: generation) }), "seed \(seed)")
            }
        }

        /// Compares the user, which is created if it can be.
        private func lookAtUser() {
            used = used ?? stacks[0].first
            if let used { #expect(app.resolve(User.self).item.number == used, "seed \(seed)") }
        }

        func step() async throws {
            switch pick(12) {
            case 0, 1, 2: try await commit()
            case 3:
                let key = pick(4)
                stacks[key].insert(register(key, in: app), at: 0)
            case 4:
                let key = pick(4)
                stacks[key] = [register(key, in: app, replacing: true)]
            case 5, 6: children.append((app.makeChild(), generation))
            case 7:
                guard let (container, generation) = children.randomElement(using: &random) else { break }
                children.append((container.makeChild(), generation))
            case 8: if !children.isEmpty { children.remove(at: pick(children.count)) }
            case 9: remove()
            case 10:
                guard pick(10) == 0 else { break }
                app.removeAll()
                (stacks, shown, generation, used) = ([[], [], [], []], [:], generation + 1, nil)
                app.register(User.self, using: User.init)
            default:
                look(app, -1)
                lookAtUser()
            }
            if let (container, generation) = children.randomElement(using: &random) { look(container, generation) }
            let alive = Set(children.map(\.generation))
            shown = shown.filter { alive.contains($0.key) }
            checkDisposals(shown.values.flatMap { $0.values.joined() } + stacks.joined())
        }

        private func checkDisposals(_ kept: [Int]) {
            let kept = Set(kept)
            let disposed = disposals.withLock { $0 }
            for number in created.withLock({ $0 }) {
                #expect(disposed[number, default: 0] == (kept.contains(number) ? 0 : 1), "seed \(seed), \(number)")
            }
        }

        func end() async throws {
            try await app.shutdown()
            checkDisposals([])
            for (container, _) in children { #expect(!container.canResolve(Item.self), "seed \(seed)") }
        }
    }

    @Test func randomProgramsAgreeWithTheModel() async throws {
        for _ in 0..<rounds(150) {
            let program = Program(seed: .random(in: 0 ... .max))
            for _ in 0..<60 { try await program.step() }
            try await program.end()
        }
    }
}
