extension TypeTree {
    /// A type of the standard library.
    static func standard(_ name: String, _ kind: Declaration.Kind, _ arguments: [TypeTree] = []) -> TypeTree {
        .declaration(Declaration(kind: kind, name: name, context: .module("Swift"), arguments: arguments))
    }

    /// The type of the standard library that has a letter of its own in mangled names; nil if there is none.
    static func standard(_ letter: Character, isConcurrency: Bool) -> TypeTree? {
        (isConcurrency ? concurrency(letter) : standard(letter)).map { standard($0.name, $0.kind) }
    }

    private typealias Entry = (name: String, kind: Declaration.Kind)

    private static func standard(_ letter: Character) -> Entry? {
        switch letter {
        case "A": ("AutoreleasingUnsafeMutablePointer", .structure)
        case "a": ("Array", .structure)
        case "b": ("Bool", .structure)
        case "D": ("Dictionary", .structure)
        case "d": ("Double", .structure)
        case "f": ("Float", .structure)
        case "h": ("Set", .structure)
        case "I": ("DefaultIndices", .structure)
        case "i": ("Int", .structure)
        case "J": ("Character", .structure)
        case "N": ("ClosedRange", .structure)
        case "n": ("Range", .structure)
        case "O": ("ObjectIdentifier", .structure)
        case "P": ("UnsafePointer", .structure)
        case "p": ("UnsafeMutablePointer", .structure)
        case "q": ("Optional", .enumeration)
        case "R": ("UnsafeBufferPointer", .structure)
        case "r": ("UnsafeMutableBufferPointer", .structure)
        case "S": ("String", .structure)
        case "s": ("Substring", .structure)
        case "u": ("UInt", .structure)
        case "V": ("UnsafeRawPointer", .structure)
        case "v": ("UnsafeMutableRawPointer", .structure)
        case "W": ("UnsafeRawBufferPointer", .structure)
        case "w": ("UnsafeMutableRawBufferPointer", .structure)
        default: proto(letter).map { ($0, .proto) }
        }
    }

    private static func proto(_ letter: Character) -> String? {
        switch letter {
        case "B": "BinaryFloatingPoint"
        case "E": "Encodable"
        case "e": "Decodable"
        case "F": "FloatingPoint"
        case "G": "RandomNumberGenerator"
        case "H": "Hashable"
        case "j": "Numeric"
        case "K": "BidirectionalCollection"
        case "k": "RandomAccessCollection"
        case "L": "Comparable"
        case "l": "Collection"
        case "M": "MutableCollection"
        case "m": "RangeReplaceableCollection"
        case "Q": "Equatable"
        case "T": "Sequence"
        case "t": "IteratorProtocol"
        case "U": "UnsignedInteger"
        case "X": "RangeExpression"
        case "x": "Strideable"
        case "Y": "RawRepresentable"
        case "y": "StringProtocol"
        case "Z": "SignedInteger"
        case "z": "BinaryInteger"
        default: nil
        }
    }

    private static func concurrency(_ letter: Character) -> Entry? {
        switch letter {
        case "A": ("Actor", .proto)
        case "C": ("CheckedContinuation", .structure)
        case "c": ("UnsafeContinuation", .structure)
        case "E": ("CancellationError", .structure)
        case "e": ("UnownedSerialExecutor", .structure)
        case "F": ("Executor", .proto)
        case "f": ("SerialExecutor", .proto)
        case "G": ("TaskGroup", .structure)
        case "g": ("ThrowingTaskGroup", .structure)
        case "h": ("TaskExecutor", .proto)
        case "I": ("AsyncIteratorProtocol", .proto)
        case "i": ("AsyncSequence", .proto)
        case "J": ("UnownedJob", .structure)
        case "M": ("MainActor", .type)
        case "P": ("TaskPriority", .structure)
        case "S": ("AsyncStream", .structure)
        case "s": ("AsyncThrowingStream", .structure)
        case "T": ("Task", .structure)
        case "t": ("UnsafeCurrentTask", .structure)
        default: nil
        }
    }
}
