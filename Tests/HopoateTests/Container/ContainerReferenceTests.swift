import Hopoate
import Testing

/// The default container must never have weak references.
@Suite struct ContainerReferenceTests {
    /// Whether the object was ever referenced weakly: then its second word points to a side table.
    private static func hasSideTable(_ object: AnyObject) -> Bool {
        withExtendedLifetime(object) {
            let words = UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque()).assumingMemoryBound(to: UInt.self)
            return words[1] >> 62 == 3
        }
    }

    @Test func weakReferenceCreatesASideTable() {
        let container = DependencyContainer()
        #expect(!Self.hasSideTable(container))
        let handle = LazyDependency<Int>(container: container)
        #expect(Self.hasSideTable(container))
        #expect(handle.object == nil)
    }

    #if compiler(>=6.2)
        /// A first weak reference would give the immortal container a reference count, on which all threads would contend.
        @Test func defaultContainerHasNoWeakReferences() async {
            await #expect(processExitsWith: .success) {
                let container = DependencyContainer.shared
                container.register(1, for: Int.self)
                container.decorate(Int.self) { inner, _ in inner + 1 }
                let handle = LazyDependency<Int>(container: container)
                let provider = container.provider(Int.self)
                let installation = try container.install {}
                container.uninstall(installation)
                #expect(container.resolve(Int.self) == 2)
                #expect(handle.object == 2 && provider() == 2)
                #expect(!Self.hasSideTable(container))
            }
        }
    #endif
}
