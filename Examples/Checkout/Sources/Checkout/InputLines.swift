package import Foundation

/// The lines of an input, located once, so that workers can read them in any order.
///
/// Lines end with a line feed, which is optional for the last line. A carriage return before it is white space in JSON and needs
/// no handling. A byte order mark at the start of a line is skipped: files begin with one, and concatenated files contain one in
/// the middle.
package struct InputLines: Sendable {
    private let bytes: Data
    private let ranges: [Range<Data.Index>]

    package init(_ bytes: Data) {
        self.bytes = bytes
        var ranges: [Range<Data.Index>] = []
        var start = bytes.startIndex
        while start < bytes.endIndex {
            let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.endIndex
            ranges.append(start..<end)
            start = end + 1
        }
        self.ranges = ranges
    }

    var count: Int { ranges.count }

    /// Returns a line by its zero-based number, or nil if it is blank. Reports count from one.
    func line(at index: Int) -> Data? {
        var line = bytes[ranges[index]]
        if line.starts(with: [0xEF, 0xBB, 0xBF]) { line = line.dropFirst(3) }
        return line.allSatisfy { $0 == UInt8(ascii: " ") || 9...13 ~= $0 } ? nil : line
    }
}
