/// Tells services of one type apart.
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
/// Names are compared by their text. Make constants of them, as above: then a named service is found as fast as one without a
/// name. A literal where it is asked for works too, for a few nanoseconds more; and a name made of a text that is known only
/// while the program runs costs a lookup under a lock.
///
/// - Note: Concurrency. Immutable; from any thread.
@frozen
public struct DependencyName {
    /// The address of the entry that all names of this text share: unique while any of them exists.
    @usableFromInline
    let discriminator: UInt

    /// Keeps the entry alive. Nil where it is a literal's and lives for ever: there is no reference to count then.
    @usableFromInline
    let owner: AnyObject?

    /// Makes a name of a text that is known only while the program runs.
    ///
    /// ```swift
    /// let tenant = DependencyName("tenant-\(7)")
    /// ```
    ///
    /// - Parameter text: The text.
    /// - Complexity: One lookup under a lock. Leaves nothing behind when the last name of this text is gone.
    /// - Note: Concurrency. From any thread.
    public init(_ text: String) {
        let entry = NameTable.entry(of: text)
        discriminator = UInt(bitPattern: ObjectIdentifier(entry))
        owner = entry
    }

    /// The name with a discriminator, whose entry must be alive.
    init(discriminator: UInt) {
        self.discriminator = discriminator
        owner = nameEntry(at: discriminator)
    }

    /// The text.
    ///
    /// - Complexity: Constant.
    /// - Note: Concurrency. From any thread.
    public var text: String { withExtendedLifetime(owner) { nameEntry(at: discriminator).text } }
}

extension DependencyName: ExpressibleByStringLiteral {
    /// Makes a name of a literal.
    ///
    /// ```swift
    /// let name: DependencyName = "formal"
    /// ```
    ///
    /// - Parameter literal: The text.
    /// - Complexity: One lookup without a lock, after the first time.
    /// - Note: Concurrency. From any thread.
    public init(stringLiteral literal: StaticString) {
        discriminator = NameTable.discriminator(of: literal)
        owner = nil
    }
}

// Unchecked, because of the owner's type. Sound, because that is a NameEntry, which is immutable.
extension DependencyName: @unchecked Sendable {}

extension DependencyName: Hashable {
    /// Whether two names have the same text.
    ///
    /// - Parameters:
    ///   - left: A name.
    ///   - right: Another name.
    /// - Returns: Whether their texts are equal.
    /// - Complexity: Constant: one comparison of words.
    /// - Note: Concurrency. From any thread.
    public static func == (left: DependencyName, right: DependencyName) -> Bool {
        left.discriminator == right.discriminator
    }

    /// Feeds the name to a hasher.
    ///
    /// - Parameter hasher: The hasher.
    /// - Complexity: Constant.
    /// - Note: Concurrency. From any thread.
    public func hash(into hasher: inout Hasher) { hasher.combine(discriminator) }
}

extension DependencyName: CustomStringConvertible {
    /// The text.
    ///
    /// - Complexity: Constant.
    /// - Note: Concurrency. From any thread.
    public var description: String { text }
}

/// What all names of one text share.
final class NameEntry: Sendable {
    let text: String

    fileprivate init(_ text: String) {
        self.text = text
    }

    deinit { NameTable.forget(text) }
}

/// All names there are, by text; and those of literals by the address of the literal too, so that they are found without a
/// lock. A program has only so many literals, so theirs are never let go of.
private enum NameTable {
    private struct WeakEntry {
        weak var entry: NameEntry?
    }

    // Both belong to the process: if two dynamic libraries have a copy of this module each, the copies share one registry of
    // services, and so have to agree on the identities of names.
    private static let byText = byAddress.attached { Locked<[String: WeakEntry]>([:]) }
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

    /// The last name of a text is gone. Another entry may have taken its place meanwhile.
    static func forget(_ text: String) {
        let other = byText.withLock { entries -> NameEntry? in
            guard let entry = entries[text]?.entry else {
                entries[text] = nil
                return nil
            }
            return entry
        }
        // This may be the last reference to it by now, and the end of an entry takes the lock.
        withExtendedLifetime(other) {}
    }
}
