/// A service type for each number: `Tag<Nest<Nest<Int>>>` and so on. The compiler has never seen most of them.
struct Tag<Parameter>: Sendable {
    let tracked: Tracked
}

/// Nothing but a way to make types of types.
enum Nest<Parameter> {}

/// What is done with a type that is not known when this is compiled.
protocol TypeVisitor {
    func visit<Parameter>(_ type: Parameter.Type, number: Int)
}

/// Calls a visitor with so many different types.
func visitTypes(_ count: Int, _ visitor: some TypeVisitor) {
    func visit<Parameter>(_ type: Parameter.Type, _ number: Int) {
        guard number < count else { return }
        visitor.visit(type, number: number)
        visit(Nest<Parameter>.self, number + 1)
    }
    visit(Int.self, 0)
}
