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
    /// What makes a new instance each time and asks the container for what it needs; and the recipe, which has more to tell.
    case factory((DependencyContainer) throws -> Service, AnyRecipe)
    /// What makes one instance when it is first asked for; and where that then is, until the registration ends.
    case once(AnyRecipe, OnceRoom)
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
    /// The instance, where it was registered as one.
    @inlinable
    @inline(__always)
    var registeredInstance: Service? {
        if case .instance(let instance) = self { instance } else { nil }
    }

    /// What makes an instance, where it asks for nothing.
    @inlinable
    @inline(__always)
    var creator: (() -> Service)? {
        if case .creator(let creator) = self { creator } else { nil }
    }

    /// What makes an instance each time and asks the container for what it needs.
    @inlinable
    @inline(__always)
    var factory: ((DependencyContainer) throws -> Service)? {
        if case .factory(let factory, _) = self { factory } else { nil }
    }

    /// Where the instance is, if it was made on demand and stays there until the registration ends.
    @inlinable
    @inline(__always)
    var room: UnsafePointer<Service>? {
        if case .once(_, let room) = self { room.pointer(to: Service.self) } else { nil }
    }

    /// The creator of a service whose recipe has no more to say than that.
    @inlinable
    @inline(__always)
    func plainCreator<Arguments>(
        taking arguments: Arguments.Type
    ) -> ((DependencyContainer, Arguments) throws -> Service)? {
        if case .recipe(let recipe) = self {
            // As in `recipe(taking:)`.
            unsafeDowncast(recipe, to: Recipe<Service, Arguments>.self).plainCreator
        } else {
            nil
        }
    }

    /// The recipe of a service whose creator takes arguments of these types.
    @inlinable
    @inline(__always)
    func recipe<Arguments>(taking arguments: Arguments.Type) -> Recipe<Service, Arguments>? {
        switch self {
        // Under the key of these types, nothing else is registered; what is registered without arguments takes none.
        case .once(let recipe, _): unsafeDowncast(recipe, to: Recipe<Service, Arguments>.self)
        // As above.
        case .recipe(let recipe): unsafeDowncast(recipe, to: Recipe<Service, Arguments>.self)
        // As above.
        case .factory(_, let recipe): unsafeDowncast(recipe, to: Recipe<Service, Arguments>.self)
        case .instance, .creator: nil
        }
    }
}

extension ServiceRegistration {
    /// The service, made or found by the recipe. User code: never called inside a read section.
    @inlinable
    @inline(__always)
    func make(_ key: ServiceKey<Service>, _ request: @autoclosure () -> Request) throws(DependencyError) -> Service {
        switch source {
        case .instance(let instance):
            return instance
        case .creator(let creator):
            return withFrame(key) { creator() }
        case .factory, .once, .recipe:
            guard let recipe = source.recipe(taking: Void.self) else { preconditionFailure("a recipe, as just seen") }
            return try recipe.instance(key, (), request())
        }
    }

    /// As `make`; ends the process where that throws.
    @inlinable
    @inline(__always)
    func makeOrFail(_ key: ServiceKey<Service>, _ request: @autoclosure () -> Request) -> Service {
        do throws(DependencyError) { return try make(key, request()) } catch { fail(error) }
    }
}

/// Where a cell keeps what it is filled with once, and for as long as it lives. The recipe beside it keeps the cell alive.
@frozen
@usableFromInline
struct OnceRoom {
    @usableFromInline
    let state: UnsafePointer<UInt32>
    @usableFromInline
    let value: UnsafeRawPointer

    @inlinable
    init<Service>(_ cell: MemoCell<Void, Service>) {
        (state, value) = cell.withWords { (UnsafePointer($0), UnsafeRawPointer($1)) }
    }

    /// The place, once the cell has been filled.
    @inlinable
    @inline(__always)
    func pointer<Service>(to type: Service.Type) -> UnsafePointer<Service>? {
        // A cell that is filled once is filled in its first room, with what the registration is for.
        loadPublished(state) == 0 ? nil : value.assumingMemoryBound(to: Service.self)
    }
}
