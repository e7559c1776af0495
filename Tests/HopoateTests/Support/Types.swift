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
