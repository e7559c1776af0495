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

    /// The place in the form of messages: `Module/File.swift:12`.
    var place: String { "\(fileID):\(line)" }
}
