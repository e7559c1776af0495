import Foundation
import Testing

@testable import Charts

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// A run with figures that are easy to check, and not measured by anybody.
private let run = Measurements(
    processor: "Made <up> & \"plain\"", architecture: "none", cores: 4, swift: "0.0",
    rows: [1, 2, 4].flatMap { threads in
        [
            Measurements.Row(operation: "floor", threads: threads, nanoseconds: 20),
            Measurements.Row(operation: "withService", threads: threads, nanoseconds: 10),
            Measurements.Row(operation: "resolve", threads: threads, nanoseconds: Double(25 * threads)),
            Measurements.Row(operation: "dictionary", threads: threads, nanoseconds: Double(1000 * threads)),
        ]
    }
        + [10, 100, 1000, 10_000, 100_000].map {
            Measurements.Row(operation: "resolve.\($0)", threads: 1, nanoseconds: 30)
        })

/// What an XML parser sees in a picture.
private final class Elements: NSObject, XMLParserDelegate {
    private(set) var all: [(name: String, attributes: [String: String])] = []
    private(set) var texts: [String] = []
    private var text = ""

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String]
    ) {
        all.append((name, attributes))
        text = ""
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }

    func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
        if name == "text" || name == "desc" || name == "title" { texts.append(text) }
    }

    func numbers(of attribute: String) -> [Double] { all.compactMap { $0.attributes[attribute].flatMap(Double.init) } }
}

private func elements(_ file: String, of run: Measurements = run) throws -> Elements {
    let picture = try #require(run.pictures.first { $0.file == file })
    let elements = Elements()
    let parser = XMLParser(data: Data(picture.svg.utf8))
    parser.delegate = elements
    #expect(parser.parse(), "\(file) is no XML: \(String(describing: parser.parserError))")
    return elements
}

@Suite struct PicturesTests {
    @Test func runWithEverythingHasAllPictures() {
        #expect(run.pictures.map(\.file) == ["chart.svg", "threads.svg", "keys.svg"])
    }

    @Test func whatWasNotMeasuredIsNotDrawn() {
        let empty = Measurements(processor: "", architecture: "", cores: 1, swift: "", rows: [])
        #expect(empty.pictures.isEmpty)
        let one = Measurements(
            processor: "", architecture: "", cores: 1, swift: "", rows: run.rows.filter { $0.threads == 1 })
        #expect(one.pictures.map(\.file) == ["chart.svg", "keys.svg"])
    }

    @Test func sameRunGivesTheSamePictures() {
        #expect(run.pictures.map(\.svg) == run.pictures.map(\.svg))
    }

    @Test(arguments: ["chart.svg", "threads.svg", "keys.svg"])
    func pictureNamesTheProcessor(file: String) throws {
        let texts = try elements(file).texts
        #expect(texts.contains("Made <up> & \"plain\", 4 cores (none), Swift 0.0"))
    }

    @Test(arguments: ["chart.svg", "threads.svg", "keys.svg"])
    func everythingLiesInsideThePicture(file: String) throws {
        let elements = try elements(file)
        let width = try #require(elements.numbers(of: "width").first)
        let height = try #require(elements.numbers(of: "height").first)
        let (xs, ys) = (["x", "x1", "x2", "cx"], ["y", "y1", "y2", "cy"])
        #expect(xs.flatMap(elements.numbers).allSatisfy { (0...width).contains($0) })
        #expect(ys.flatMap(elements.numbers).allSatisfy { (0...height).contains($0) })
    }

    @Test func barIsAsLongAsItsLogarithm() throws {
        let elements = try elements("chart.svg")
        let bars = elements.all.filter { $0.name == "rect" && $0.attributes["height"] == "13" }
        let widths = bars.compactMap { $0.attributes["width"].flatMap(Double.init) }
        // 10, 20, 1000 nanoseconds on an axis to 10 000: a quarter of it is a power of ten.
        #expect(widths.count == 8)
        let power = try #require(widths.first { widths.contains($0 * 3) })
        #expect(abs(widths[0] - power * 1.301) < 0.2)
    }

    @Test func throughputIsThatOfAllThreadsTogether() throws {
        let texts = try elements("threads.svg").texts
        #expect(texts.contains { $0.contains("withService: 100 at 1, 200 at 2, 400 at 4") })
        #expect(texts.contains { $0.contains("resolve: 40.0 at 1, 40.0 at 2, 40.0 at 4") })
        #expect(texts.contains { $0.contains("dictionary, lock: 1.00 at 1") })
    }

    @Test func keysAreCountedOut() throws {
        let texts = try elements("keys.svg").texts
        #expect(["10", "100", "1\u{a0}000", "10\u{a0}000", "100\u{a0}000"].allSatisfy(texts.contains))
        #expect(
            texts.contains(
                "resolve, one type: 30.0 at 10, 30.0 at 100, 30.0 at 1\u{a0}000, 30.0 at 10\u{a0}000, 30.0 at 100\u{a0}000"
            ))
    }

    @Test func runIsReadAsItIsWritten() throws {
        let text = """
            {"swift": "6.3", "processor": "P", "architecture": "x86-64", "cores": 2, "rows": [
              {"section": "S", "title": "T", "operation": "floor", "threads": 2, "nanoseconds": 12.500, "value": 1.000}
            ]}
            """
        let read = try JSONDecoder().decode(Measurements.self, from: Data(text.utf8))
        #expect(read.nanoseconds("floor", threads: 2) == 12.5)
        #expect(read.nanoseconds("floor") == nil)
        #expect(read.caption == "P, 2 cores (x86-64), Swift 6.3")
    }
}

@Suite struct AxisTests {
    @Test(arguments: [0.3, 1, 4.2, 7, 10, 23, 99, 101, 144, 1000, 123_456])
    func linearAxisEndsAtOrAboveTheGreatest(greatest: Double) throws {
        let axis = Axis.linear("", greatest: greatest, from: 100, to: 0)
        let last = try #require(axis.ticks.last)
        #expect(axis.ticks.first == 0 && last >= greatest * 0.999 && last < greatest * 2)
        #expect((4...8).contains(axis.ticks.count))
        #expect(axis.pixel(0) == 100 && axis.pixel(last) == 0)
    }

    @Test func powersTakeInAllNumbers() {
        #expect(Axis.powers(of: 10, "", 10...100_000, from: 0, to: 4).ticks == [10, 100, 1000, 10_000, 100_000])
        #expect(Axis.powers(of: 2, "", 1...6, from: 0, to: 3).ticks == [1, 2, 4, 8])
        #expect(Axis.powers(of: 2, "", 1...1, from: 0, to: 1).ticks == [1, 2])
        #expect(abs(Axis.powers(of: 10, "", 10...100_000, from: 0, to: 4).pixel(1000) - 2) < 1e-9)
    }

    @Test func labelsThatWouldMeetAreMovedApart() {
        #expect(LineChart.apart([10, 50], by: 16, above: 100) == [10, 50])
        #expect(LineChart.apart([10, 12, 14], by: 16, above: 100) == [10, 26, 42])
        #expect(LineChart.apart([98, 99, 100], by: 16, above: 100) == [68, 84, 100])
    }
}
