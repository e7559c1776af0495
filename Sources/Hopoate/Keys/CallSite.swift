/// Where a service was asked for, for the message when it is missing.
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

    /// As messages give it: `Module/File.swift:12`.
    var place: String { "\(fileID):\(line)" }
}
