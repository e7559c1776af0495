/// A reference to an object that something else keeps alive. Copying or dropping this reference counts nothing.
///
/// An unowned reference would be retained each time it is read.
@frozen
@usableFromInline
struct Uncounted<Object: AnyObject>: Equatable {
    @usableFromInline
    let reference: Unmanaged<Object>

    @inlinable
    @inline(__always)
    init(_ object: Object) {
        reference = .passUnretained(object)
    }

    /// Retains the object, until `takeRetained`.
    @inline(__always)
    init(retaining object: Object) {
        reference = .passRetained(object)
    }

    /// Makes a reference to a payload, which must be of the class.
    @inlinable
    @inline(__always)
    init(payload: UnsafeRawPointer) {
        reference = .fromOpaque(payload)
    }

    /// The object.
    @inlinable
    @inline(__always)
    var object: Object { reference.takeUnretainedValue() }

    /// Calls a closure with the object, without retaining it. Something else has to keep it alive during the call.
    @inlinable
    @inline(__always)
    func with<Output>(_ body: (Object) -> Output) -> Output { reference._withUnsafeGuaranteedRef(body) }

    /// The same as the other form, for a closure that throws. The function of the standard library loses the type of the error.
    @inline(__always)
    func with<Output, Failure: Error>(_ body: (Object) throws(Failure) -> Output) throws(Failure) -> Output {
        do { return try reference._withUnsafeGuaranteedRef(body) } catch {
            guard let error = error as? Failure else { preconditionFailure("the closure throws no other errors") }
            throw error
        }
    }

    @usableFromInline
    static func == (one: Self, other: Self) -> Bool { one.reference.toOpaque() == other.reference.toOpaque() }
}

// MARK: - References that are counted all the same

extension Uncounted {
    /// Retains the object, until `takeRetained` or `release`.
    @inline(__always)
    func retained() -> Self {
        _ = reference.retain()
        return self
    }

    /// Returns the object, and gives up a reference that was counted before.
    @inlinable
    @inline(__always)
    func takeRetained() -> Object { reference.takeRetainedValue() }

    /// Gives up a reference that was counted before.
    @inlinable
    @inline(__always)
    func release() { reference.release() }
}

extension Uncounted: Sendable where Object: Sendable {}

// MARK: - References that are not counted as owners

/// A weak reference that several threads may read at the same time.
// Unchecked, because it has a variable. Sound, because only the runtime changes it after `init`, and weak references are thread-safe.
struct WeakReference<Object: AnyObject>: @unchecked Sendable {
    /// The object; nil if it no longer exists.
    private(set) weak var object: Object?

    init(_ object: Object?) {
        self.object = object
    }
}
