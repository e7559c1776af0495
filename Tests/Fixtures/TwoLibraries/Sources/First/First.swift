import Hopoate

/// Registers services under a literal name and under a dynamic name.
@_cdecl("first_register")
public func register() {
    DependencyContainer.shared.register(7, for: Int.self, named: "literal")
    DependencyContainer.shared.register(8, for: Int.self, named: DependencyName("made at run time"))
}
