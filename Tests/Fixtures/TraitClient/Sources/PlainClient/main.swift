import Hopoate

DependencyContainer.shared.register(7, for: Int.self)
print(resolve(Int.self))
