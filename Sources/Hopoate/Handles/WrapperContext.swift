/// The service or the value that a wrapper resolves, and its container.
///
/// A wrapper that belongs to a service must not keep the container that owns that service. So a wrapper that is made during such a
/// creation refers to its container weakly, and resolves as a part of that service (`OwningService`). Any other wrapper holds its
/// container.
@usableFromInline
struct WrapperContext {
    private let container: WrapperContainer
    private let name: DependencyName?
    /// A `CapturedValue` of the type of the wrapper; nil if the wrapper resolves a service.
    private let value: AnyObject?
    private let callSite: CallSite
    /// Counts the notes of uses, if the wrapper caches nothing.
    private var noted: SharedCounter?

    @usableFromInline
    init(_ container: DependencyContainer, _ name: DependencyName?, _ callSite: CallSite) {
        self.init(WrapperContainer(container), name, callSite)
    }

    init(_ container: WrapperContainer, _ name: DependencyName?, _ callSite: CallSite) {
        self.container = container
        self.name = name
        value = nil
        self.callSite = callSite
    }

    init<Value>(_ container: DependencyContainer, _ value: CapturedValue<Value>, _ callSite: CallSite) {
        self.container = WrapperContainer(container)
        name = nil
        self.value = value
        self.callSite = callSite
    }

    /// Returns the service, and fills the empty cell of the wrapper with it; or returns the value, which has a cell of its own.
    @usableFromInline
    func resolve<Service>(into cell: MemoCell<WrapperContext, Service>) -> Service {
        guard let value else { return cell.fill(resolve(keepsInstance: true)) }
        do throws(DependencyError) {
            // `Dependency<T>` makes its context with a value of type T, and calls this with T.
            return try unsafeDowncast(value, to: CapturedValue<Service>.self).value(in: container)
        } catch {
            fail(error, callSite)
        }
    }

    /// Returns the service.
    ///
    /// - Parameter keepsInstance: Whether the wrapper keeps it.
    func resolve<Service>(keepsInstance: Bool) -> Service {
        do throws(DependencyError) {
            let service: Service = try container.access(
                ServiceKey<Service>(named: name).identity, keepsInstances: keepsInstance
            ) { container in
                container.resolve(named: name, fileID: callSite.fileID, line: callSite.line)
            }
            noteUse(of: Service.self)
            return service
        } catch {
            fail(error, callSite)
        }
    }

    /// The same as `resolve`, but nil if the service is not registered, or if the container was released.
    @usableFromInline
    func optionalResolve<Service>() -> Service? {
        let found: Service?? = try? container.access(
            ServiceKey<Service>(named: name).identity, keepsInstances: true
        ) { container in
            container.optionalResolve(Service.self, named: name)
        }
        guard let service = found ?? nil else { return nil }
        noteUse(of: Service.self)
        return service
    }

    /// The same context for a wrapper that caches nothing.
    var forEachAccess: WrapperContext {
        var copy = self
        if container.isOwned { copy.noted = SharedCounter() }
        return copy
    }

    private func noteUse<Service>(of type: Service.Type) {
        if container.isOwned { container.noteUse(of: ServiceKey<Service>(named: name).identity, once: noted) }
    }
}

/// An environment value of a property wrapper: its key path, and the value of the captured container after the first access.
// Unchecked, because of the key path and the value. Sound, because wrappers take Sendable key paths, and the cell is thread-safe. The
// value is used by several threads only if it is Sendable, or if they share the wrapper unchecked.
final class CapturedValue<Value>: @unchecked Sendable {
    private let keyPath: KeyPath<DependencyValues, Value>
    /// Whether overrides around an access leave the value unchanged.
    private let isFixed: Bool
    private let cell = MemoCell<Void, Value>.make(())

    init(_ keyPath: KeyPath<DependencyValues, Value>, isFixed: Bool) {
        self.keyPath = keyPath
        self.isFixed = isFixed
    }

    /// Returns the value for an access to a wrapper with a container.
    func value(in container: WrapperContainer) throws(DependencyError) -> Value {
        if !isFixed, mayBeOverriddenHere, let captured = container.ifAlive, let override = ValueOverride(of: captured) {
            return DependencyValues(captured, inside: override)[keyPath: keyPath]
        }
        if let value = cell.value { return value }
        return cell.fill(
            try container.access(ServiceKey<Value>().identity, keepsInstances: true) { container in
                container.values[keyPath: keyPath]
            })
    }
}
