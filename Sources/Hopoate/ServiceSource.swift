/// Where a registration takes its service from.
///
/// Immutable, so that a registration is published whole and copying it is all that a read section has to do.
@frozen
@usableFromInline
enum ServiceSource<Service: ~Copyable>: ~Copyable {
    /// The instance, made before it was registered. It lives as long as the registration does.
    case instance(Service)
    /// What makes a new instance each time and asks for nothing: the form without any ceremony.
    case creator(() -> Service)
    /// What makes one instance when it is first asked for; and the cell in which that then stays until the registration ends.
    case once(AnyRecipe, AnyObject)
    /// All else: what makes instances, and knows where they are kept.
    case recipe(AnyRecipe)
}

extension ServiceSource: Copyable where Service: Copyable {}

extension ServiceSource where Service: ~Copyable {
    /// Lends the instance, where there is one that stays until the registration ends, in place: nothing is copied.
    @inlinable
    @inline(__always)
    borrowing func withInstance<Output, Failure: Error>(
        _ body: (borrowing Service) throws(Failure) -> Output
    ) throws(Failure) -> Output? {
        switch self {
        case .instance(let instance): try body(instance)
        default: nil
        }
    }
}

extension ServiceSource {
    /// The instance, where there is one. To be called inside a read section.
    @inlinable
    @inline(__always)
    var instance: Service? {
        switch self {
        case .instance(let instance): instance
        // `init(_ recipe:)` is the only place that makes this case, and it takes the cell of the service's storage.
        case .once(_, let cell): unsafeDowncast(cell, to: MemoCell<Void, Service>.self).valueInReadSection
        case .creator, .recipe: nil
        }
    }

    /// Where the instance is, if it was made on demand and stays there until the registration ends.
    @inlinable
    @inline(__always)
    var room: UnsafePointer<Service>? {
        // As in `instance`.
        guard case .once(_, let cell) = self else { return nil }
        return unsafeDowncast(cell, to: MemoCell<Void, Service>.self).room
    }
}

extension ServiceSource {
    /// What makes an instance, or knows where it is kept; nil where there is one that stays.
    @inlinable
    @inline(__always)
    var maker: Maker<Service>? {
        switch self {
        case .instance: nil
        case .creator(let creator): .creator(creator)
        // What is registered without arguments, or under a key that has none, has a recipe that takes none.
        case .once(let recipe, _), .recipe(let recipe): .recipe(unsafeDowncast(recipe, to: Recipe<Service, Void>.self))
        }
    }

    /// The recipe of a service whose creator takes arguments of these types.
    @inlinable
    @inline(__always)
    func recipe<Arguments>(taking arguments: Arguments.Type) -> Recipe<Service, Arguments>? {
        // Under the key of these types, nothing else is registered.
        if case .recipe(let recipe) = self { unsafeDowncast(recipe, to: Recipe<Service, Arguments>.self) } else { nil }
    }
}

/// What makes an instance, copied out of a registration.
@frozen
@usableFromInline
enum Maker<Service> {
    case creator(() -> Service)
    case recipe(Recipe<Service, Void>)

    /// Makes one, or says where it is kept. User code: never called inside a read section.
    @inlinable
    @inline(__always)
    func make(_ key: ServiceKey<Service>, _ request: @autoclosure () -> Request) throws(DependencyError) -> Service {
        switch self {
        case .creator(let creator): withFrame(key) { creator() }
        case .recipe(let recipe): try recipe.instance(key, (), request())
        }
    }

    /// As `make`; ends the process where that throws.
    @inlinable
    @inline(__always)
    func makeOrFail(_ key: ServiceKey<Service>, _ request: @autoclosure () -> Request) -> Service {
        do throws(DependencyError) { return try make(key, request()) } catch { fail(error) }
    }
}
