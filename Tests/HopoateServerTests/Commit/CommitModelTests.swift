import Hopoate
import HopoateServer
import Testing

/// Random programs of commits and other changes, compared with a model.
///
/// The model: a generation has the children that began between two commits, and for each key that was committed later the stack from before.
/// A child finds the stack of its generation, and the one of the container if there is none. A registration has one instance, one for each
/// argument, a new one for each call or, if it is scoped, one in each container. An instance is disposed of when its registration is in no stack
/// any more, and the one of a child when the child ends. A singleton of the container that uses a service holds the one that it was
/// created with, until a commit rebuilds it.
@Suite struct CommitModelTests {
    private final class Item: Sendable {
        /// Which registration has created it.
        let number: Int
        /// Which instance of all it is.
        let serial: Int

        init(_ number: Int, _ serial: Int) { (self.number, self.serial) = (number, serial) }
    }

    private struct User: Sendable {
        let item: Item

        init(item: Item) { self.item = item }
    }

    private struct Users: Sendable {
        let items: [Item]

        init(items: [Item]) { self.items = items }
    }

    private struct Refused: Error {}

    private enum Kind { case single, scoped, transient, keyed }

    /// What a registration has one instance for. Without a child and an argument, the registration itself.
    private struct Place: Hashable {
        let number: Int
        var child: Int?
        var argument: Int?
    }

    /// Registered in a child: tells factories which child they run for.
    private struct ChildID: Sendable {
        let id: Int
    }

    private final class Child {
        let id: Int
        let container: DependencyContainer
        let generation: Int
        let parent: Child?
        let provider: DependencyProvider<Item>

        init(_ id: Int, _ container: DependencyContainer, _ generation: Int, _ parent: Child?) {
            (self.id, self.container, self.generation, self.parent) = (id, container, generation, parent)
            provider = container.provider(Item.self, named: Program.names[1])
        }
    }

    private final class Program {
        static let names: [DependencyName?] = [nil, "one", "two", "three", nil]
        /// The index in `stacks` of the services that take an argument.
        private static let keyed = 4
        /// The index in `stacks` of the service that `User` takes.
        private static let ofUser = 0

        private var random: SplitMix64
        private let app = DependencyContainer.allowingCommits { Issue.record($0) }
        private let provider: DependencyProvider<Item>
        private var tokens: [Int: ServiceRegistration<Item>] = [:]
        private var kinds: [Int: Kind] = [:]
        private var children: [Child] = []
        /// The place of each instance.
        private let created = Locked([Place]())
        /// How often each instance was disposed of.
        private let disposals = Locked([Int: Int]())
        private var next = 0
        private let seed: UInt64

        // The model. Stacks are newest first.
        private var stacks = [[Int]](repeating: [], count: names.count)
        private var generation = 0
        /// The number of the item that the user has; nil if there is no user.
        private var used: Int?
        private var shown: [Int: [Int: [Int]]] = [:]
        /// The items of the users, which are scoped, in each child, and under nil in the container.
        private var listed: [Int?: [Int]] = [:]
        /// The instances that calls have got.
        private var found: [Place: Int] = [:]

        init(seed: UInt64) {
            self.seed = seed
            random = SplitMix64(seed: seed)
            provider = app.provider(Item.self, named: Program.names[1])
            registerUsers()
        }

        private func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

        private func register(_ key: Int, in container: DependencyContainer, replacing: Bool = false) -> Int {
            next += 1
            let (number, created, disposals) = (next, created, disposals)
            // A user cannot keep a scoped service.
            let kind: Kind =
                key == Self.keyed ? .keyed : key == Self.ofUser ? .single : [.single, .scoped, .transient][pick(3)]
            kinds[number] = kind
            let make = { @Sendable (child: Int?, argument: Int?) in
                created.withLock { places in
                    places.append(Place(number: number, child: child, argument: argument))
                    return Item(number, places.count - 1)
                }
            }
            let dispose = { @Sendable (item: Item) in disposals.withLock { $0[item.serial, default: 0] += 1 } }
            tokens[number] =
                switch kind {
                case .keyed:
                    container.register(
                        Item.self, lifetime: .keyed, replacing: replacing,
                        factory: { (_, argument: Int) in make(nil, argument) },
                        onDispose: dispose)
                case .transient:
                    container.register(Item.self, named: Self.names[key], lifetime: .transient, replacing: replacing) {
                        _ in make(nil, nil)
                    }
                case .single, .scoped:
                    container.register(
                        Item.self, named: Self.names[key], lifetime: kind == .single ? .singleton : .scoped,
                        replacing: replacing,
                        factory: { make(kind == .scoped ? $0.optionalResolve(ChildID.self)?.id : nil, nil) },
                        onDispose: dispose)
                }
            return number
        }

        private func registerUsers() {
            app.register(User.self, using: User.init)
            app.register(Users.self, lifetime: .scoped, using: Users.init)
        }

        private func stack(_ key: Int, of generation: Int) -> [Int] { shown[generation]?[key] ?? stacks[key] }

        private func commit() async throws {
            let (fails, isRebuilding) = (pick(4) == 0, pick(2) == 0)
            let keys = Set((0...pick(3)).map { _ in pick(stacks.count) })
            var new: [Int: [Int]] = [:]
            let before = found
            let isRefused: Bool
            do {
                try await app.commit(rebuildingDependents: isRebuilding) { next in
                    for key in keys {
                        for _ in 0...pick(2) { new[key, default: []].insert(register(key, in: next), at: 0) }
                        if pick(2) == 0 { look(next, key, new[key] ?? [], nil) }
                    }
                    if fails { throw Refused() }
                }
                isRefused = false
            } catch is Refused { isRefused = true }
            #expect(isRefused == fails)
            if fails {
                found = before
                return
            }
            for generation in Set(children.map(\.generation)) {
                for key in keys where shown[generation]?[key] == nil {
                    shown[generation, default: [:]][key] = stacks[key]
                }
            }
            for (key, stack) in new { stacks[key] = stack }
            if isRebuilding, let new = new[Self.ofUser] {
                used = used.map { _ in new[0] }
                listed[nil] = listed[nil].map { _ in new }
            }
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

        /// Compares the result of a call.
        private func check(_ item: Item?, _ number: Int?, _ child: Child?, _ argument: Int? = nil) {
            #expect(item?.number == number, "seed \(seed)")
            guard let item, let number, let kind = kinds[number] else { return }
            let place = Place(number: number, child: kind == .scoped ? child?.id : nil, argument: argument)
            #expect(created.withLock { $0[item.serial] } == place, "seed \(seed)")
            if kind == .transient {
                #expect(found.updateValue(item.serial, forKey: place).map { $0 < item.serial } ?? true, "seed \(seed)")
            } else {
                #expect(found[place, default: item.serial] == item.serial, "seed \(seed)")
                found[place] = item.serial
            }
        }

        /// Compares one way to look a key up with the stack that should be found.
        private func look(_ container: DependencyContainer, _ key: Int, _ expected: [Int], _ child: Child?) {
            let name = Self.names[key]
            if key == Self.keyed {
                let argument = pick(3)
                if pick(3) == 0 {
                    #expect(container.canResolve(Item.self, arguments: Int.self) == !expected.isEmpty, "seed \(seed)")
                } else {
                    check(container.optionalResolve(Item.self, arguments: argument), expected.first, child, argument)
                }
                return
            }
            switch pick(4) {
            case 0: #expect(container.canResolve(Item.self, named: name) == !expected.isEmpty, "seed \(seed)")
            case 1: check(container.optionalResolve(Item.self, named: name), expected.first, child)
            case 2 where !expected.isEmpty:
                container.withService(Item.self, named: name) { check($0, expected.first, child) }
            default:
                let all = container.resolveAll(Item.self, named: name)
                #expect(all.count == expected.count, "seed \(seed)")
                for (item, number) in zip(all, expected) { check(item, number, child) }
            }
        }

        private func look(_ container: DependencyContainer, _ generation: Int, _ child: Child?) {
            for key in stacks.indices { look(container, key, stack(key, of: generation), child) }
            let provider = child?.provider ?? provider
            check(provider.optionalResolve(), stack(1, of: generation).first, child)
            if pick(4) == 0 {
                let expected = listed[child?.id] ?? stack(Self.ofUser, of: generation)
                let users = try? container.require(Users.self)
                #expect(users?.items.map(\.number) ?? [] == expected, "seed \(seed)")
                listed[child?.id] = users == nil ? nil : expected
            }
            if pick(4) == 0 {
                let all = container.resolveAll(Item.self, includingNamed: true).map(\.number)
                let expected = stacks.indices.filter { $0 != Self.keyed }.flatMap { stack($0, of: generation) }
                #expect(Set(all) == Set(expected), "seed \(seed)")
            }
        }

        /// Compares the user, which is created if it can be.
        private func lookAtUser() {
            used = used ?? stacks[Self.ofUser].first
            if let used { #expect(app.resolve(User.self).item.number == used, "seed \(seed)") }
        }

        private func addChild(of parent: Child?) {
            let container = (parent?.container ?? app).makeChild()
            next += 1
            container.register(ChildID(id: next), for: ChildID.self)
            children.append(Child(next, container, parent?.generation ?? generation, parent))
        }

        func step() async throws {
            switch pick(12) {
            case 0, 1, 2: try await commit()
            case 3:
                let key = pick(stacks.count)
                stacks[key].insert(register(key, in: app), at: 0)
            case 4:
                let key = pick(stacks.count)
                stacks[key] = [register(key, in: app, replacing: true)]
            case 5, 6: addChild(of: nil)
            case 7: if let parent = children.randomElement(using: &random) { addChild(of: parent) }
            case 8: if !children.isEmpty { children.remove(at: pick(children.count)) }
            case 9: remove()
            case 10:
                guard pick(10) == 0 else { break }
                app.removeAll()
                (stacks, shown, generation, used) = (stacks.map { _ in [] }, [:], generation + 1, nil)
                listed = [:]
                registerUsers()
            default:
                look(app, -1, nil)
                lookAtUser()
            }
            if let child = children.randomElement(using: &random) { look(child.container, child.generation, child) }
            let alive = Set(children.map(\.generation))
            shown = shown.filter { alive.contains($0.key) }
            checkDisposals(shown.values.flatMap { $0.values.joined() } + stacks.joined())
        }

        private func checkDisposals(_ kept: [Int]) {
            let kept = Set(kept)
            var living: Set<Int> = []
            for child in children {
                var next: Child? = child
                while let child = next, living.insert(child.id).inserted { next = child.parent }
            }
            let disposed = disposals.withLock { $0 }
            for (serial, place) in created.withLock({ $0 }).enumerated() where kinds[place.number] != .transient {
                let isKept = place.child.map(living.contains) ?? kept.contains(place.number)
                #expect(disposed[serial, default: 0] == (isKept ? 0 : 1), "seed \(seed), \(place)")
            }
        }

        func end() async throws {
            try await app.shutdown()
            checkDisposals([])
            for child in children { #expect(!child.container.canResolve(Item.self), "seed \(seed)") }
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
