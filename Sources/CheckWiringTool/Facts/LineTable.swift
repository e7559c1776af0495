import Foundation

/// The lines of a file, for its byte offsets.
struct LineTable {
    private let starts: [Int]

    init(path: String) {
        self.init((try? String(contentsOfFile: path, encoding: .utf8)) ?? "")
    }

    init(_ text: String) {
        var starts = [0]
        for (offset, byte) in text.utf8.enumerated() where byte == UInt8(ascii: "\n") { starts.append(offset + 1) }
        self.starts = starts
    }

    /// Returns the line and the column of a byte, both from 1.
    func position(of offset: Int) -> (line: Int, column: Int) {
        var low = 0
        var high = starts.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if starts[middle] <= offset { low = middle } else { high = middle }
        }
        return (low + 1, offset - starts[low] + 1)
    }
}
