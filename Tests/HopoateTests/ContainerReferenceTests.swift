import Hopoate
import Testing

/// ContainerReference.swift.
@Suite struct ContainerReferenceTests {
    /// Whether somebody ever referred weakly to an object: then its second word leads to a side table.
    private static func hasSideTable(_ object: AnyObject) -> Bool {
        withExtendedLifetime(object) {
            let words = UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque()).assumingMemoryBound(to: UInt.self)
            return words[1] >> 62 == 3
        }
    }

    @Test func weakReferenceCreatesASideTable() {
        let container = DependencyContainer()
        #expect(!Self.hasSideTable(container))
        let handle = container.lazy(Int.self)
        #expect(Self.hasSideTable(container))
        #expect(handle.object == nil)
    }

    #if compiler(>=6.2)
        /// The first weak reference would give it a count of references, which all threads would fight over.
        @Test func defaultContainerHasNoWeakReferences() async {
            await #expect(processExitsWith: .success) {
                let container = DependencyContainer.shared
                container.register(1, for: Int.self)
                container.decorate(Int.self) { inner, _ in inner + 1 }
                let handle = container.lazy(Int.self)
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
