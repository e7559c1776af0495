/// How the arguments of a service are hashed and compared. A registration chooses one conforming type by the types of its arguments.
///
/// Only the metatypes are used. They live forever and are not counted, so a lookup can take one out of a read section without writing
/// to shared memory. The arguments are passed by their address, so that nothing is boxed.
///
/// - Note: Concurrency. Both functions run user code, so they are called outside locks and read sections.
@usableFromInline
protocol KeyedArguments {
    /// Returns the hash value of the arguments at an address.
    static func hash(_ arguments: ArgumentsPointer) -> Int

    /// Returns whether the arguments at two addresses are equal.
    static func areEqual(_ one: ArgumentsPointer, _ other: ArgumentsPointer) -> Bool
}

/// Returns how arguments of these types are hashed and compared; nil if one of them is not `Hashable`.
///
/// The arguments are passed as a value of the type `(First, (repeat each Rest))`.
@usableFromInline
func hashable<First, each Rest>(
    _ first: First.Type, _ rest: repeat (each Rest).Type
) -> (any KeyedArguments.Type)? {
    guard let first = first as? any Hashable.Type else { return nil }
    var others: [any Hashable.Type] = []
    for type in repeat each rest {
        guard let type = type as? any Hashable.Type else { return nil }
        others.append(type)
    }
    if others.isEmpty { return first == Int.self ? OneInteger.self : one(first) }
    var list: any ArgumentList.Type = NoArguments.self
    for type in others.reversed() { list = following(type, list) }
    return several(first, list)
}

private func one<First: Hashable>(_ first: First.Type) -> any KeyedArguments.Type { OneArgument<First>.self }

private func following<First: Hashable, Rest: ArgumentList>(
    _ first: First.Type, _ rest: Rest.Type
) -> any ArgumentList.Type {
    FollowingArguments<First, Rest>.self
}

private func several<First: Hashable, Rest: ArgumentList>(
    _ first: First.Type, _ rest: Rest.Type
) -> any KeyedArguments.Type {
    SeveralArguments<First, Rest>.self
}

/// One argument. A tuple of a value and an empty tuple has the layout of the value.
private enum OneArgument<First: Hashable>: KeyedArguments {
    static func hash(_ arguments: ArgumentsPointer) -> Int { arguments.hashValue(of: First.self) }

    static func areEqual(_ one: ArgumentsPointer, _ other: ArgumentsPointer) -> Bool {
        one.isEqual(to: other, First.self)
    }
}

/// One argument of the type `Int`, the usual key. The same as `OneArgument<Int>`, but specialised.
private enum OneInteger: KeyedArguments {
    static func hash(_ arguments: ArgumentsPointer) -> Int { arguments.hashValue(of: Int.self) }

    static func areEqual(_ one: ArgumentsPointer, _ other: ArgumentsPointer) -> Bool {
        one.isEqual(to: other, Int.self)
    }
}

/// Two arguments or more: one, and a tuple of the others.
private enum SeveralArguments<First: Hashable, Rest: ArgumentList>: KeyedArguments {
    /// Where the tuple of the others begins. A tuple is aligned like its element with the largest alignment.
    private static var offset: Int { MemoryLayout<First>.size.roundedUp(to: Rest.alignment) }

    static func hash(_ arguments: ArgumentsPointer) -> Int {
        var hasher = Hasher()
        arguments.hash(First.self, at: 0, into: &hasher)
        Rest.hash(arguments, at: offset, into: &hasher)
        return hasher.finalize()
    }

    static func areEqual(_ one: ArgumentsPointer, _ other: ArgumentsPointer) -> Bool {
        one.isEqual(to: other, First.self) && Rest.areEqual(one, other, at: offset)
    }
}

// MARK: - The elements of a tuple

/// The elements of a tuple from some index on. Elements lie in order, each at the next offset that has its alignment.
private protocol ArgumentList {
    /// The largest alignment of these elements.
    static var alignment: Int { get }

    /// Hashes these elements of a tuple. The element before them ends at the offset.
    static func hash(_ tuple: ArgumentsPointer, at offset: Int, into hasher: inout Hasher)

    /// Compares these elements of two tuples. The elements before them end at the offset.
    static func areEqual(_ one: ArgumentsPointer, _ other: ArgumentsPointer, at offset: Int) -> Bool
}

private enum NoArguments: ArgumentList {
    static var alignment: Int { 1 }
    static func hash(_ tuple: ArgumentsPointer, at offset: Int, into hasher: inout Hasher) {}
    static func areEqual(_ one: ArgumentsPointer, _ other: ArgumentsPointer, at offset: Int) -> Bool { true }
}

private enum FollowingArguments<First: Hashable, Rest: ArgumentList>: ArgumentList {
    static var alignment: Int { max(MemoryLayout<First>.alignment, Rest.alignment) }

    static func hash(_ tuple: ArgumentsPointer, at offset: Int, into hasher: inout Hasher) {
        let start = offset.roundedUp(to: MemoryLayout<First>.alignment)
        tuple.hash(First.self, at: start, into: &hasher)
        Rest.hash(tuple, at: start + MemoryLayout<First>.size, into: &hasher)
    }

    static func areEqual(_ one: ArgumentsPointer, _ other: ArgumentsPointer, at offset: Int) -> Bool {
        let start = offset.roundedUp(to: MemoryLayout<First>.alignment)
        return one.isEqual(to: other, First.self, at: start)
            && Rest.areEqual(one, other, at: start + MemoryLayout<First>.size)
    }
}

extension Int {
    fileprivate func roundedUp(to alignment: Int) -> Int { (self + alignment - 1) & ~(alignment - 1) }
}
