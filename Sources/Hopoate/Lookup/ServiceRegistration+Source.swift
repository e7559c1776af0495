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
