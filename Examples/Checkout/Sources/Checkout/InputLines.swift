package import Foundation

/// The lines of an input, found once, so that workers can take them in any order.
///
/// Lines end with a line feed, the last one also without. A carriage return before it is white space to JSON and
/// needs no care. A byte order mark at the head of a line is skipped: files have one at their beginning, and files
/// that were put together have them in the middle.
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

    /// A line by its number, which begins with zero here and with one in reports; nil where it is blank.
    func line(at index: Int) -> Data? {
        var line = bytes[ranges[index]]
        if line.starts(with: [0xEF, 0xBB, 0xBF]) { line = line.dropFirst(3) }
        return line.allSatisfy { $0 == UInt8(ascii: " ") || 9...13 ~= $0 } ? nil : line
    }
}
