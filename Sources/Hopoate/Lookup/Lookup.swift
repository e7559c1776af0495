// Reading registrations and instances. These files know the types of payloads.
//
// A payload of a registry is a retained `ServiceRegistration<Service>`. It is stored under the key that `ServiceKey<Service>` gives, so the
// type of the key proves the type of the payload.
//
// Why the fast paths have their form:
//
// - They are generic and inlinable, so they are specialised in the user's module. All the rest is not. The C functions are not inlined:
//   nothing of Concurrency Kit reaches that module, and the sanitizers see all of it.
// - `resolve` copies the instance inside a closure, which ends before the call of `hop_section_end`. The compiler cannot move the
//   copy behind that call: the borrowed reference is valid only inside the closure, and the call is one of unknown C code, which
//   might release anything.
// - `withExisting` does not copy the instance at all: the closure of `with` contains the call of the user's code.
//
// A resolve call has two parts. The first one looks the key up and copies the instance, if it exists. It is specialised in the user's
// module, for each type that the module resolves, so it contains nothing else. All the rest is in generic functions of this module,
// which are not inlinable: there is one copy of them, for all types. They pass services by address, and never as optionals, whose
// layout they would have to compute.

/// The newest registration of a key, in a read section.
@frozen
@usableFromInline
struct Lookup {
    @usableFromInline
    let found: Found
    /// The container that holds the registration; nil if it is the one of the resolve call.
    @usableFromInline
    let owner: UncountedContainer?

    @inlinable
    @inline(__always)
    init(_ found: Found, owner: UncountedContainer? = nil) {
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
    func end() { found.end() }

    /// Ends the read section, and borrows the registration. Counts no reference: all threads would write the same count.
    ///
    /// - Returns: The borrow, which has to end on this thread. Nil if there is none, and then the read section is still open.
    @inline(__always)
    func borrow() -> Borrow? { found.borrow() }

    /// The registration without a reference to it, valid until the section or the borrow ends. The key must have one of the class.
    @inline(__always)
    func uncounted<Registration: AnyServiceRegistration>(as type: Registration.Type) -> Uncounted<Registration> {
        guard let payload = found.payload else { preconditionFailure("the key has no registration") }
        return Uncounted(payload: payload)
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
        let registration = Uncounted<ServiceRegistration<Service>>(payload: payload)
        if let instance = registration.with({ $0.holder?.instance }) {
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
        let registration = Uncounted<ServiceRegistration<Service>>(payload: payload)
        if let singleton = registration.with({ $0.source.singleton }) { return singleton }
        // Only one registration has this key, and it creates services of one type.
        return scopedInstance(in: container())?.address(of: Service.self)
    }

    /// Returns the registration, and ends the read section; nil if the key has none.
    func registration<Service>(of key: ServiceKey<Service>) -> ServiceRegistration<Service>? {
        defer { end() }
        // Not by `map`, which would compute metadata on each call, because this is not specialised.
        guard let payload = found.payload else { return nil }
        return Uncounted<ServiceRegistration<Service>>(payload: payload).object
    }

    /// Returns the factory if the service is transient; nil otherwise. Valid until the section or the borrow ends.
    @inline(__always)
    func transientFactory<Service>(of key: ServiceKey<Service>) -> Uncounted<ServiceFactory<Service, Void>>? {
        guard let payload = found.payload else { return nil }
        let registration = Uncounted<ServiceRegistration<Service>>(payload: payload)
        guard case .transient = registration.with({ $0.source }) else { return nil }
        // Not by `map`, as above.
        guard let factory = registration.with({ $0.factory(taking: Void.self) }) else { return nil }
        return Uncounted(factory)
    }

    /// Returns the memory of a container's own instance of a scoped service that a parent has registered. Nil if it is not in its
    /// slot, or if the caller may be the factory of a service that must not keep it.
    @inlinable
    @inline(__always)
    func scopedInstance(in container: @autoclosure () -> DependencyContainer) -> InstanceMemory? {
        owner == nil ? nil : scopedInstanceSlow(in: container())
    }

    /// The slow path of `scopedInstance`, for a registration of a parent.
    @usableFromInline
    @inline(never)
    func scopedInstanceSlow(in container: DependencyContainer) -> InstanceMemory? {
        guard innermostFrame == nil, !isWatched else { return nil }
        return slotMemory(in: container)
    }

    /// The same as `scopedInstanceSlow`, also for the factory of a service that must not keep the instance.
    @inline(__always)
    func slotMemory(in container: DependencyContainer) -> InstanceMemory? {
        guard let payload = found.payload else { return nil }
        // All payloads of keys are registrations. Neither they nor their factories are retained: both live until the section ends.
        let registration = Uncounted<AnyServiceRegistration>(payload: payload)
        let factory = registration.with { $0.factory.map { Uncounted($0) } }
        guard let place = factory?.with({ $0.scopePlace }),
            let slot = container.registry.slot(place.index, place.key, as: Cell.self)
        else {
            return nil
        }
        return slot.with { $0.filledMemory }
    }

    /// Whether lookups may find instances of the registration by the values of their arguments.
    @inlinable
    @inline(__always)
    func isKeyed<Service>(_ key: ServiceKey<Service>) -> Bool {
        guard let payload = found.payload else { return false }
        return Uncounted<ServiceRegistration<Service>>(payload: payload).with { $0.keyedIndex != nil }
    }

    /// How the arguments of the registration are hashed and compared; nil if lookups do not find its instances by their values.
    @inline(__always)
    func keyedArguments<Service>(of key: ServiceKey<Service>) -> (any KeyedArguments.Type)? {
        guard let payload = found.payload else { return nil }
        let index = Uncounted<ServiceRegistration<Service>>(payload: payload).with { $0.keyedIndex }
        return index?.value.arguments
    }
}

extension DependencyContainer {
    /// Looks up the newest registration of a key, here or in the parents.
    @inlinable
    @inline(__always)
    func lookUp(_ key: AnyServiceKey) -> Lookup {
        let found = registry.find(key)
        if _slowPath(found.payload == nil) { return lookUpInParents(key, found) }
        return Lookup(found)
    }

    /// The slow path of `lookUp`: continues a lookup that found nothing here.
    @usableFromInline
    @inline(never)
    func lookUpInParents(_ key: AnyServiceKey, _ found: Found) -> Lookup {
        // This counts no references: a container holds its parent.
        var next = role == .layer ? UncountedContainer(self) : heldParent
        while let parent = next {
            next = parent.parent
            if _slowPath(parent.isLayer) {
                // In this order: a commit may give the layer the registrations and the mark at this moment.
                guard parent.shadows(key, found) else { continue }
                next = next?.parent
            }
            if let found = found.next(key, in: parent.registry) { return Lookup(found, owner: parent) }
        }
        return Lookup(found)
    }
}

extension DependencyContainer {
    /// Whether a key has a registration, here or in the parents.
    @inlinable
    @inline(__always)
    func isRegistered(_ key: AnyServiceKey) -> Bool {
        let lookup = lookUp(key)
        defer { lookup.end() }
        return lookup.isRegistered
    }
}

/// Looks up the newest registration of a key in `shared`; nil if `shared` may be overridden.
@inlinable
@inline(__always)
func lookUpShared(_ key: AnyServiceKey) -> Lookup? {
    // The registry, not the container: there is no reference to count.
    mayBeOverriddenHere ? nil : Lookup(Registry.process.find(key))
}

/// The result of a lookup in a scope slot. Its read section is open until `end` or `takeInstance`.
struct ScopedLookup<Service> {
    private let found: Found
    /// The address of the instance; nil if it is not there. Valid until the section ends.
    private let instance: UnsafePointer<Service>?

    @inline(__always)
    fileprivate init(_ found: Found) {
        self.found = found
        // Only one registration has this key, and it creates services of one type.
        if let payload = found.payload {
            instance = Uncounted<Cell>(payload: payload).with { $0.filledMemory }?.address(of: Service.self)
        } else {
            instance = nil
        }
    }

    /// Whether the instance is there.
    @inline(__always)
    var hasInstance: Bool { instance != nil }

    /// Returns the instance, which must be there, and ends the section.
    @inline(__always)
    func takeInstance() -> Service {
        guard let instance else { preconditionFailure("there is an instance") }
        defer { end() }
        return instance.pointee
    }

    /// Ends the section.
    @inline(__always)
    func end() { found.end() }
}

extension Resolution {
    /// Looks up the container's own instance of a scoped service in its scope slot.
    @inline(__always)
    func lookUpScoped<Service>(_ place: ScopePlace, _ type: Service.Type) -> ScopedLookup<Service> {
        ScopedLookup(registry.findInSlot(place.index, place.key))
    }
}

// MARK: - Reading a source

// The source of a registration determines the class of the registration, or the address of its instance.

extension ServiceRegistration where Service: ~Copyable {
    /// The same object, if it holds an instance that was registered; nil otherwise.
    @inlinable
    @inline(__always)
    final var holder: InstanceRegistration<Service>? {
        holdsInstance ? uncheckedCast(to: InstanceRegistration<Service>.self) : nil
    }
}

extension AnyServiceRegistration {
    /// The same object as one of a class. Its source or its key must name the class.
    // Generic, because the compiler recommends `unsafeDowncast` for two classes. That compares classes in debug builds, and the object may
    // be of the class in another copy of this library.
    @inlinable
    @inline(__always)
    final func uncheckedCast<Registration>(to type: Registration.Type) -> Registration {
        // The caller's guarantee.
        unsafeBitCast(self, to: type)
    }
}

extension ServiceRegistration {
    /// The same object, if a plain closure creates the instances; nil otherwise.
    final var closureRegistration: ClosureRegistration<Service>? {
        if case .closure = source { uncheckedCast(to: ClosureRegistration<Service>.self) } else { nil }
    }

    /// The same object, if a closure that takes the container creates the instances; nil otherwise.
    final var transientRegistration: TransientRegistration<Service>? {
        if case .transient = source { uncheckedCast(to: TransientRegistration<Service>.self) } else { nil }
    }
}

extension ServiceSource {
    /// The address of a singleton; nil before it exists. Valid until the registration ends.
    @inlinable
    @inline(__always)
    var singleton: UnsafePointer<Service>? {
        if case .singleton(let pointer) = self { pointer.load(as: Service.self) } else { nil }
    }
}
