import Hopoate

/// A service type per number: `Tag<Nest<Nest<Int>>>` and so on. Most of them do not exist at compile time.
struct Tag<Parameter>: Sendable {
    let tracked: Tracked
}

/// A generic type that only builds other types.
enum Nest<Parameter> {}

/// A generic operation on a type that is known only at run time.
protocol TypeVisitor {
    func visit<Parameter>(_ type: Parameter.Type, number: Int)
}

/// Calls a visitor with `count` different types.
func visitTypes(_ count: Int, _ visitor: some TypeVisitor) {
    func visit<Parameter>(_ type: Parameter.Type, _ number: Int) {
        guard number < count else { return }
        visitor.visit(type, number: number)
        visit(Nest<Parameter>.self, number + 1)
    }
    visit(Int.self, 0)
}

/// An argument that is compared by its number. The tracker of the object shows how many values are in memory.
struct CountedArgument: Hashable, Sendable {
    let number: Int
    let object: Tracked

    init(_ number: Int, _ tracker: Tracker) {
        self.number = number
        object = tracker.make(number)
    }

    static func == (left: CountedArgument, right: CountedArgument) -> Bool { left.number == right.number }
    func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

/// A type as messages show it.
func shown(_ type: any Any.Type) -> String {
    func last<Service>(_ type: Service.Type) -> String {
        failure { () throws(DependencyError) in try DependencyContainer().require(type) }?.chain.last ?? "no error"
    }
    return last(type)
}
