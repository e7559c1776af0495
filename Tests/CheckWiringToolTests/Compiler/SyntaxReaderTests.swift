import Testing

@testable import CheckWiringTool

@Suite struct SyntaxReaderTests {
    @Test func readsValuesThatFollowEachOther() throws {
        let trees = try SyntaxReader.read(Array("{\"_kind\":\"a\"} \n{\"_kind\":\"b\",\"items\":[1,true,null]}".utf8))
        #expect(trees.map(\.kind) == ["a", "b"])
        #expect(trees[1]["items"].elements.first?.number == 1)
        #expect(trees[1]["items"].elements[1].isTrue)
        #expect(trees[1]["items"].elements[2].isNull)
    }

    @Test func readsEscapes() throws {
        let text = try SyntaxReader.read(Array(#""a\"b\\c\nd\u0041é""#.utf8)).first?.text
        #expect(text == "a\"b\\c\ndAé")
    }

    @Test func readsDeepNesting() throws {
        let depth = 600
        var node = try #require(
            try SyntaxReader.read(
                Array((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
            ).first)
        for _ in 1..<depth { node = try #require(node.elements.first) }
        #expect(node.elements.isEmpty)
    }

    @Test(arguments: ["{\"a\":}", "{\"a\" 1}", "[1,", "\"a", "nothing", "{\"a\":1"])
    func refusesDamage(_ text: String) {
        #expect(throws: SyntaxError.self) { try SyntaxReader.read(Array(text.utf8)) }
    }
}
