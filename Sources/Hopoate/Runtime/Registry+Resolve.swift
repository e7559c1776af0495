// Reading an instance. On fast paths, see the head of Registry.swift.
//
// A resolve call has two parts. The first one looks the key up and copies the instance, if it exists. It is specialised in the user's
// module, for each type that the module resolves, so it contains nothing else. All the rest is in generic functions of this module,
// which are not inlinable: there is one copy of them, for all types. They pass services by address, and never as optionals, whose
// layout they would have to compute.

public import CRegistry

/// A reference to a container that another object keeps alive. Copying or dropping this reference counts nothing.
///
/// A resolve call refers to its container and to the parents in this way. A child also refers to its parent in this way: it
/// retains the parent once by `init(holding:)`, and releases the parent by `releaseWithParents`.
///
/// An unowned reference would be retained each time it is read.
@frozen
@usableFromInline
struct UncountedContainer: Equatable {
    @usableFromInline
    let reference: Unmanaged<DependencyContainer>

    init(_ container: DependencyContainer) {
        self.init(.passUnretained(container))
    }

    init(_ reference: Unmanaged<DependencyContainer>) {
        self.reference = reference
    }

    /// Holds a container until `releaseWithParents`.
    // Not the default container: it lives for ever, but the runtime finds that out on a slow path of each retain and release.
    init(holding container: DependencyContainer) {
        self.init(container.registry.isProcess ? .passUnretained(container) : .passRetained(container))
    }

    var container: DependencyContainer { reference.takeUnretainedValue() }

    var parent: UncountedContainer? { reference._withUnsafeGuaranteedRef { $0.heldParent } }

    var registry: Registry { reference._withUnsafeGuaranteedRef { $0.registry } }

    /// Releases a container that `init(holding:)` holds.
    ///
    /// If that ends it, its parents end one after the other: a parent that ends inside the end of its child would need a deep stack for
    /// a long chain.
    @inline(__always)  // So that the end of a child of the default container takes no call.
    func releaseWithParents() {
        if !registry.isProcess { releaseCountedWithParents() }
    }

    @inline(never)
    private func releaseCountedWithParents() {
        var container = reference.takeRetainedValue()
        while isKnownUniquelyReferenced(&container), let parent = container.parent { container = parent }
    }

    /// Calls a closure with the container, which the caller guarantees to be alive, without retaining it.
    @inline(__always)
    func withContainer<Output>(
        _ body: (DependencyContainer) throws(DependencyError) -> Output
    ) throws(DependencyError) -> Output {
        // As a result, because the function of the standard library loses the type of the error.
        try reference._withUnsafeGuaranteedRef { container in
            Result { () throws(DependencyError) in try body(container) }
        }
        .get()
    }

    @usableFromInline
    static func == (one: Self, other: Self) -> Bool { one.reference.toOpaque() == other.reference.toOpaque() }
}

extension Unmanaged {
    /// Calls a closure with the object, without retaining it. Something else has to keep it alive during the call.
    ///
    /// The same as the function of the standard library, which loses the type of the error.
    @inline(__always)
    func withGuaranteed<Output, Failure: Error>(
        _ body: (Instance) throws(Failure) -> Output
    ) throws(Failure) -> Output {
        do { return try _withUnsafeGuaranteedRef(body) } catch {
            guard let error = error as? Failure else { preconditionFailure("the closure throws no other errors") }
            throw error
        }
    }
}

/// The newest registration of a key, in a read section.
@frozen
@usableFromInline
struct Lookup {
    @usableFromInline
    let found: hop_found
    /// The container that holds the registration; nil if it is the one of the resolve call.
    @usableFromInline
    let owner: UncountedContainer?

    @inlinable
    @inline(__always)
    init(_ found: hop_found, owner: UncountedContainer? = nil) {
        self.found = found
        self.owner = owner
    }

    /// Whether the key has a registration.
    @inlinable
    @inline(__always)
    var isRegistered: Bool { found.payload != nil }

    /// Returns the registry of the container that holds the registration.
    func registry(resolvedIn container: DependencyContainer) -> Registry {
        owner?.registry ?? container.registry
    }

    /// Ends the read section.
    @inlinable
    @inline(__always)
    func end() { hop_section_end(found.thread) }

    /// Ends the read section, and borrows the registration. Counts no reference: all threads would write the same count.
    ///
    /// - Returns: The borrow, which has to end on this thread. Nil if there is none, and then the read section is still open.
    @inline(__always)
    func borrow() -> Borrow? {
        guard let payload = found.payload, let borrow = hop_section_borrow(found.thread, payload) else { return nil }
        return Borrow(raw: borrow)
    }

    /// Returns the instance and ends the read section; or returns nil, and leaves it open, if no instance exists.
    ///
    /// It finds registered instances and singletons, and scoped instances in the slots of a container. The container is evaluated only
    /// if a parent holds the registration, because `.process` is a lazy global, which costs a call.
    @inlinable
    @inline(__always)
    func existing<Service>(
        _ key: ServiceKey<Service>, in container: @autoclosure () -> DependencyContainer
    ) -> Service? {
        guard let payload = found.payload else { return nil }
        let registration = Unmanaged<ServiceRegistration<Service>>.fromOpaque(payload)
        if let instance = registration._withUnsafeGuaranteedRef({ $0.holder?.instance }) {
            end()
            return instance
        }
        guard let address = address(of: key, in: container()) else { return nil }
        let instance = address.pointee
        end()
        return instance
    }

    /// Returns the address of the instance, if it is a singleton or in a slot of the container. Valid until the section ends.
    @inlinable
    @inline(__always)
    func address<Service>(
        of key: ServiceKey<Service>, in container: @autoclosure () -> DependencyContainer
    ) -> UnsafePointer<Service>? {
        guard let payload = found.payload else { return nil }
        let registration = Unmanaged<ServiceRegistration<Service>>.fromOpaque(payload)
        if let singleton = registration._withUnsafeGuaranteedRef({ $0.source.singleton }) { return singleton }
        guard let words = scopedInstance(in: container()) else { return nil }
        // Only one registration has this key, and it creates services of one type.
        return UnsafePointer(instanceAddress(behind: words, Service.self))
    }

    /// Returns the registration, and ends the read section; nil if the key has none.
    func registration<Service>(of key: ServiceKey<Service>) -> ServiceRegistration<Service>? {
        defer { end() }
        // Not by `map`, which would compute metadata on each call, because this is not specialised.
        guard let payload = found.payload else { return nil }
        return Unmanaged<ServiceRegistration<Service>>.fromOpaque(payload).takeUnretainedValue()
    }

    /// Returns the factory if the service is transient; nil otherwise. Valid until the section or the borrow ends.
    @inline(__always)
    func transientFactory<Service>(of key: ServiceKey<Service>) -> Unmanaged<AnyServiceFactory>? {
        guard let payload = found.payload else { return nil }
        let registration = Unmanaged<ServiceRegistration<Service>>.fromOpaque(payload)
        guard case .transient = registration._withUnsafeGuaranteedRef({ $0.source }) else { return nil }
        return registration._withUnsafeGuaranteedRef { $0.factory.map(Unmanaged.passUnretained) }
    }

    /// Returns the words in front of a container's own instance of a scoped service that a parent has registered. Nil if it is not in its
    /// slot, or if the caller may be the factory of a service that must not keep it.
    @inlinable
    @inline(__always)
    func scopedInstance(in container: @autoclosure () -> DependencyContainer) -> UnsafeMutablePointer<UInt32>? {
        owner == nil ? nil : scopedInstanceSlow(in: container())
    }

    /// The slow path of `scopedInstance`, for a registration of a parent.
    @usableFromInline
    @inline(never)
    func scopedInstanceSlow(in container: DependencyContainer) -> UnsafeMutablePointer<UInt32>? {
        guard innermostFrame == nil, !isWatched else { return nil }
        return slotWords(in: container)
    }

    /// The same as `scopedInstanceSlow`, also for the factory of a service that must not keep the instance.
    @inline(__always)
    func slotWords(in container: DependencyContainer) -> UnsafeMutablePointer<UInt32>? {
        guard let payload = found.payload else { return nil }
        // All payloads of keys are registrations. Neither they nor their factories are retained: both live until the section ends.
        let registration = Unmanaged<AnyServiceRegistration>.fromOpaque(payload)
        let factory = registration._withUnsafeGuaranteedRef { $0.factory.map(Unmanaged.passUnretained) }
        guard let place = factory?._withUnsafeGuaranteedRef({ $0.scopePlace }),
            let slot = hop_scope_find(container.registry.raw, place.index, place.key)
        else {
            return nil
        }
        // Only cells are put into slots.
        return Unmanaged<Cell>.fromOpaque(slot)._withUnsafeGuaranteedRef { $0.filledWords }
    }

    /// Returns the instance for a resolve call, creating it if necessary, and ends the read section. The key must have a registration.
    ///
    /// The container is evaluated only if the factory may need it.
    @inline(__always)
    func instance<Service>(
        _ key: ServiceKey<Service>, in container: @autoclosure () -> DependencyContainer,
        _ frame: UnsafeMutablePointer<ResolutionStack.Frame>? = nil
    ) throws(DependencyError) -> Service {
        guard let payload = found.payload else { preconditionFailure("the key has no registration") }
        let registration = Unmanaged<ServiceRegistration<Service>>.fromOpaque(payload)
        switch registration._withUnsafeGuaranteedRef({ $0.source }) {
        case .instance:
            // Retained, because the section ends here.
            let registration = registration.takeUnretainedValue()
            end()
            return registration.registeredInstance()
        case .singleton, .factory:
            guard let factory = registration._withUnsafeGuaranteedRef({ $0.factory(taking: Void.self) }) else {
                preconditionFailure("the source is a factory")
            }
            end()
            return try factory.instance(key, (), Resolution(container: container(), holder: owner, frame: frame))
        case .closure:
            // A registration with this source is of this class.
            let registration = Unmanaged<ClosureRegistration<Service>>.fromOpaque(payload)
            guard let borrow = borrow() else {
                let closure = registration._withUnsafeGuaranteedRef { CopiedClosure(create: $0.create) }
                end()
                return makeInstance(key, frame, closure.create)
            }
            defer { borrow.end() }
            return registration._withUnsafeGuaranteedRef { makeInstance(key, frame, $0.create) }
        case .transient:
            let resolution = Resolution(container: container(), holder: owner, frame: frame)
            // As above.
            let registration = Unmanaged<TransientRegistration<Service>>.fromOpaque(payload)
            guard let borrow = borrow() else {
                let closure = registration._withUnsafeGuaranteedRef { CopiedTransient(create: $0.create) }
                end()
                return try makeInstance(key, resolution, closure.create)
            }
            defer { borrow.end() }
            return try registration.withGuaranteed { registration throws(DependencyError) in
                try makeInstance(key, resolution, registration.create)
            }
        }
    }

    /// Whether lookups may find instances of the registration by the values of their arguments.
    @inlinable
    @inline(__always)
    func isKeyed<Service>(_ key: ServiceKey<Service>) -> Bool {
        guard let payload = found.payload else { return false }
        return Unmanaged<ServiceRegistration<Service>>.fromOpaque(payload)._withUnsafeGuaranteedRef {
            $0.keyedIndex != nil
        }
    }

    /// How the arguments of the registration are hashed and compared; nil if lookups do not find its instances by their values.
    @inline(__always)
    func keyedArguments<Service>(of key: ServiceKey<Service>) -> (any KeyedArguments.Type)? {
        guard let payload = found.payload else { return nil }
        let index = Unmanaged<ServiceRegistration<Service>>.fromOpaque(payload)._withUnsafeGuaranteedRef {
            $0.keyedIndex
        }
        return index?.pointee.arguments
    }

    /// The same as the other form, for a factory that takes arguments. They must be of the types that the key names.
    @inline(__always)
    func instance<Service, Arguments>(
        _ key: ServiceKey<Service>, _ arguments: Arguments, in container: DependencyContainer,
        _ frame: UnsafeMutablePointer<ResolutionStack.Frame>? = nil
    ) throws(DependencyError) -> Service {
        guard let payload = found.payload else { preconditionFailure("the key has no registration") }
        let registration = Unmanaged<ServiceRegistration<Service>>.fromOpaque(payload)
        let resolution = Resolution(container: container, holder: owner, frame: frame)
        let closure = registration._withUnsafeGuaranteedRef { DirectClosure($0.factory(taking: Arguments.self)) }
        if closure.isTransient {
            end()
            return try makeInstance(key, arguments, resolution, closure.create)
        }
        let factory = registration._withUnsafeGuaranteedRef { $0.factory(taking: Arguments.self) }
        end()
        guard let factory else { preconditionFailure("only factories take arguments") }
        return try factory.instance(key, arguments, resolution)
    }
}

/// The closure of a `ClosureRegistration`, which is retained instead of the registration: all threads would write one count, and most
/// closures hold nothing.
///
/// A structure, because a generic function that returns a closure itself converts it, which allocates.
private struct CopiedClosure<Service> {
    let create: () -> Service
}

/// The same for a `TransientRegistration`.
private struct CopiedTransient<Service> {
    let create: (DependencyContainer) throws -> Service
}

/// The direct closure of a factory. To create a transient service, only this has to be retained, not the factory.
///
/// A structure, because a generic function that returns a closure itself converts it, which allocates.
private struct DirectClosure<Service, Arguments> {
    let isTransient: Bool
    let create: (DependencyContainer, Arguments) throws -> Service

    @inline(__always)
    init(_ factory: ServiceFactory<Service, Arguments>?) {
        guard let factory else { preconditionFailure("only factories take arguments") }
        isTransient = factory.isTransient
        create = factory.directClosure
    }
}

extension DependencyContainer {
    /// Looks up the newest registration of a key, here or in the parents.
    @inlinable
    @inline(__always)
    func lookUp(_ key: AnyServiceKey) -> Lookup {
        let found = hop_read_begin(registry.raw, key.raw)
        if _slowPath(found.payload == nil) { return lookUpInParents(key, found) }
        return Lookup(found)
    }

    /// What a lookup finds for a dependency.
    enum Dependency {
        case missing
        /// An instance that lives as long as its registration, or as long as the container. The registration is not retained for it.
        case instance
        /// The newest registration, and the parent that holds it.
        case registration(AnyServiceRegistration, owner: UncountedContainer?)
    }

    /// Looks up a dependency, here or in the parents.
    func dependency(_ key: AnyServiceKey) -> Dependency {
        let lookup = lookUp(key)
        defer { lookup.end() }
        guard let payload = lookup.found.payload else { return .missing }
        // All payloads of keys are registrations.
        let registration = Unmanaged<AnyServiceRegistration>.fromOpaque(payload)
        if registration._withUnsafeGuaranteedRef({ $0.hasPermanentInstance }) { return .instance }
        if lookup.owner != nil, lookup.slotWords(in: self) != nil { return .instance }
        return .registration(registration.takeUnretainedValue(), owner: lookup.owner)
    }

    /// The slow path of `lookUp`: continues a lookup that found nothing here.
    @usableFromInline
    @inline(never)
    func lookUpInParents(_ key: AnyServiceKey, _ found: hop_found) -> Lookup {
        // This counts no references: a container holds its parent.
        var next = heldParent
        while let parent = next {
            if let payload = hop_find(parent.registry.raw, key.raw) {
                return Lookup(hop_found(payload: payload, thread: found.thread), owner: parent)
            }
            next = parent.parent
        }
        return Lookup(found)
    }
}

/// Looks up the newest registration of a key in `shared`; nil if `shared` may be overridden.
@inlinable
@inline(__always)
func lookUpShared(_ key: AnyServiceKey) -> Lookup? {
    // The registry, not the container: there is no reference to count.
    mayBeOverriddenHere ? nil : Lookup(hop_read_begin(Registry.process.raw, key.raw))
}

extension Resolution {
    /// Looks up the container's own instance of a scoped service in its scope slot. The address is nil if it is not there.
    ///
    /// - Returns: The address of the instance, which is valid until the read section of the lookup ends.
    @inline(__always)
    func lookUpScoped<Service>(
        _ place: ScopePlace, _ type: Service.Type
    ) -> (instance: UnsafePointer<Service>?, lookup: Lookup) {
        let thread = hop_section_begin()
        let lookup = Lookup(
            hop_found(payload: hop_scope_find(registry.raw, place.index, place.key), thread: thread))
        guard let payload = lookup.found.payload else { return (nil, lookup) }
        // Only one registration has this key, and it creates services of one type.
        return (Unmanaged<Cell>.fromOpaque(payload)._withUnsafeGuaranteedRef { $0.pointer(to: type) }, lookup)
    }
}

extension Registry {
    /// Returns all services of a key, newest first. Creates those that do not exist yet, outside every read section.
    @inlinable
    func resolveAll<Service>(_ key: ServiceKey<Service>, _ resolution: Resolution) -> [Service] {
        retainedPayloads(key.raw).map { payload in
            // Balances `retainRegistration`.
            let registration = Unmanaged<ServiceRegistration<Service>>.fromOpaque(payload).takeRetainedValue()
            if let holder = registration.holder { return holder.instance }
            return registration.instanceOrTrap(key, resolution)
        }
    }

    /// Returns whether a key has a registration.
    @inlinable
    @inline(__always)
    func contains<Service: ~Copyable>(_ key: ServiceKey<Service>) -> Bool { hop_contains(raw, key.raw) }

    /// The same as the other form, for a key of any type.
    func contains(_ key: AnyServiceKey) -> Bool { hop_contains(raw, key.raw) }
}
