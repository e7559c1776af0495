import CRegistry
import Testing

@Suite struct RegistryTests {
    @Test func newRegistryIsEmpty() {
        let registry = hop_registry_make()
        defer { hop_registry_destroy(registry) { _ in } }
        #expect(hop_count(registry) == 0)
    }
}
