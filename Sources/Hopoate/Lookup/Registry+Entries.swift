// The entries of a container's registry besides its registrations: its instances of scoped services, and the defaults of environment
// values.

extension Registry {
    /// Adds a scoped instance or a default, unless the key has one already. Returns the one that the key has then.
    @usableFromInline
    func addScoped(_ new: AnyServiceRegistration) -> AnyServiceRegistration {
        let (kept, isDue) = findOrPush(new, under: new.key)
        if isDue { removeEntriesLeftBehind() }
        return kept
    }

    /// Removes the entries of ended scoped registrations.
    ///
    /// It runs again when as many entries were added as there are left now, or a sixteenth of the slots of the table, or 16, whichever is
    /// most. So it takes amortised constant time for each addition, and the entries that are left behind do not grow with the number of
    /// registrations that have been. A new table has at most eight slots for each entry, including those that are left behind. With a
    /// larger part of the slots, each table could let in more of these, and the next one would be larger.
    private func removeEntriesLeftBehind() {
        let all = keys()
        let scoped = all.filter(\.isScoped).compactMap { newest($0) }
        let entries = scoped.filter(\.isLeftBehind)
        let additions = max(16, all.count - entries.count, capacity / 16)
        // The array keeps the payloads alive meanwhile.
        withExtendedLifetime(scoped) {
            remove(entries, under: { $0.key }, additions: additions, releaseRegistration)
        }
    }

    /// Returns the entry of a key, and makes it if there is none. The caller guarantees that all entries of the key are of one type.
    func scoped<Entry: AnyServiceRegistration>(_ key: AnyServiceKey, make: () -> Entry) -> Entry {
        // The caller's guarantee.
        unsafeDowncast(newest(key) ?? addScoped(make()), to: Entry.self)
    }
}
