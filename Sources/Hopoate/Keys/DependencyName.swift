/// A name that tells apart services of the same type.
///
/// ```swift
/// extension DependencyName {
///     static let formal: DependencyName = "formal"
/// }
///
/// container.register(Polite(), for: (any Greeter).self, named: .formal)
/// let greeter = container.resolve((any Greeter).self, named: .formal)
/// ```
///
/// Names are equal if their texts are equal. Declare them as constants, as above: then a named service is resolved as fast as one
/// without a name. A literal at the place of the resolve call costs a few nanoseconds more. A name from a text that is known only
/// at run time costs a lookup under a lock.
///
/// - Note: Concurrency. Immutable and thread-safe.
@frozen
public struct DependencyName {
    /// The address of the entry that all names of this text share. It is unique while any of these names exists.
    @usableFromInline
    let discriminator: UInt

    /// Keeps the entry alive. Nil if a literal owns the entry, which then lives for ever: no reference count is needed.
    @usableFromInline
    let owner: AnyObject?

    /// Creates a name from a text that is known only at run time.
    ///
    /// ```swift
    /// let tenant = DependencyName("tenant-\(7)")
    /// ```
    ///
    /// - Parameter text: The text.
    /// - Complexity: One lookup under a lock. The entry is freed with the last name of this text.
    public init(_ text: String) {
        let entry = NameTable.entry(of: text)
        discriminator = UInt(bitPattern: ObjectIdentifier(entry))
        owner = entry
    }

    /// The name with a discriminator. Its entry must be alive.
    init(discriminator: UInt) {
        self.discriminator = discriminator
        owner = nameEntry(at: discriminator)
    }

    /// The text of the name.
    package var text: String { withExtendedLifetime(owner) { nameEntry(at: discriminator).text } }
}

extension DependencyName: ExpressibleByStringLiteral {
    /// Creates a name from a literal.
    ///
    /// ```swift
    /// let name: DependencyName = "formal"
    /// ```
    ///
    /// - Parameter literal: The text.
    /// - Complexity: One lookup without a lock. The first use of a literal also takes a lock.
    public init(stringLiteral literal: StaticString) {
        discriminator = NameTable.discriminator(of: literal)
        owner = nil
    }
}

// Unchecked, because of the owner's type. Sound, because that is a NameEntry, which is immutable.
extension DependencyName: @unchecked Sendable {}

extension DependencyName: Hashable {
    /// Returns whether two names have the same text. It compares one word.
    ///
    /// - Parameters:
    ///   - left: A name.
    ///   - right: Another name.
    /// - Returns: Whether their texts are equal.
    public static func == (left: DependencyName, right: DependencyName) -> Bool {
        left.discriminator == right.discriminator
    }

    /// Feeds the name to a hasher.
    ///
    /// - Parameter hasher: The hasher.
    /// - Complexity: Constant.
    public func hash(into hasher: inout Hasher) { hasher.combine(discriminator) }
}

extension DependencyName: CustomStringConvertible {
    /// The text of the name.
    public var description: String { text }
}

/// The entry that all names of one text share.
final class NameEntry: Sendable {
    let text: String

    fileprivate init(_ text: String) {
        self.text = text
    }

    deinit { NameTable.forget(text) }
}

/// Returns the entry of a name, which must be alive.
// The discriminator of a name is the address of its entry.
private func nameEntry(at discriminator: UInt) -> NameEntry { object(at: discriminator, as: NameEntry.self) }

/// All names of the process by their text. Names from literals are also found by the address of the literal, without a lock. A
/// program has a limited number of literals, so their entries are never freed.
private enum NameTable {
    private struct WeakEntry {
        weak var entry: NameEntry?
    }

    // Both belong to the process. If two dynamic libraries each contain a copy of this module, the copies share one registry of
    // services, so they must agree on the identity of names.
    private static let byText = byAddress.attached(under: .names) { Locked<[String: WeakEntry]>([:], under: .names) }
    private static let byAddress = Registry.names

    static func discriminator(of literal: StaticString) -> UInt {
        byAddress.discriminator(ofLiteral: literal) { entry(of: String(describing: literal)) }
    }

    static func entry(of text: String) -> NameEntry {
        if let entry = byText.withLock({ $0[text]?.entry }) { return entry }
        let new = NameEntry(text)
        return byText.withLock { entries in
            if let entry = entries[text]?.entry { return entry }
            entries[text] = WeakEntry(entry: new)
            return new
        }
    }

    /// Removes the entry of a text when its last name is gone, unless another entry has taken its place.
    static func forget(_ text: String) {
        let other = byText.withLock { entries -> NameEntry? in
            guard let entry = entries[text]?.entry else {
                entries[text] = nil
                return nil
            }
            return entry
        }
        // This may be the last reference by now, and the deinitializer of an entry takes the lock.
        withExtendedLifetime(other) {}
    }
}
