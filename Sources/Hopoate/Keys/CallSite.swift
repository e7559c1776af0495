/// The place of a registration or a resolve call, for messages.
@usableFromInline
struct CallSite: Sendable {
    @usableFromInline
    let fileID: StaticString
    @usableFromInline
    let line: UInt

    @inlinable
    init(_ fileID: StaticString, _ line: UInt) {
        self.fileID = fileID
        self.line = line
    }

    /// For calls inside the library, which have no place that a user knows: the error takes the place of a call around them.
    static let unknown = CallSite("", 0)

    /// The place; nil for `unknown`.
    var ifKnown: CallSite? { fileID.utf8CodeUnitCount == 0 ? nil : self }

    /// The place in the form of messages: `Module/File.swift:12`.
    var place: String { "\(fileID):\(line)" }
}
