import Hopoate

/// Returns the two services as the digits of a number.
@_cdecl("second_find")
public func find() -> Int32 {
    let container = DependencyContainer.shared
    let literal = container.optionalResolve(Int.self, named: "literal") ?? 0
    return Int32(10 * literal + (container.optionalResolve(Int.self, named: DependencyName("made at run time")) ?? 0))
}
