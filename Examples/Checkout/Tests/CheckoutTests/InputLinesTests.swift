import Foundation
import Testing

@testable import Checkout

@Suite struct InputLinesTests {
    private func lines(_ text: String) -> [String?] {
        let lines = InputLines(Data(text.utf8))
        return (0..<lines.count).map { index in lines.line(at: index).map { String(decoding: $0, as: UTF8.self) } }
    }

    @Test func theLastLineNeedsNoLineFeed() {
        #expect(lines("a\nb") == ["a", "b"])
        #expect(lines("a\nb\n") == ["a", "b"])
    }

    @Test func anEmptyInputHasNoLines() {
        #expect(lines("").isEmpty)
    }

    @Test func blankLinesCountAsLines() {
        #expect(lines("\na\n \t\r\n\nb") == [nil, "a", nil, nil, "b"])
    }

    @Test func aByteOrderMarkIsSkipped() {
        #expect(lines("\u{FEFF}a\n\u{FEFF}b\n\u{FEFF}") == ["a", "b", nil])
    }

    @Test func aSliceOfDataIsReadFromItsStart() {
        let lines = InputLines(Data("xxa\nb".utf8).dropFirst(2))
        #expect(lines.line(at: 0) == Data("a".utf8))
        #expect(lines.line(at: 1) == Data("b".utf8))
    }
}
