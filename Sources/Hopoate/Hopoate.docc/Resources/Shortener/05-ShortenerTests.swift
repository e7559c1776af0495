import Hopoate
import HopoateTestingHelpers
import Testing

@testable import Shortener

actor LinkStoreMock: LinkStore {
    private(set) var added: [String] = []

    func add(_ address: String) -> Int {
        added.append(address)
        return 7
    }

    func address(of number: Int) -> String? { nil }
}

@Suite(.isolatedDependencies)
struct ShortenerTests {
    @Test func answersWithTheNumberOfTheStore() async {
        registerServices(in: .shared)
        let links = MockContainer<any LinkStore, LinkStoreMock>(LinkStoreMock())
        let request = makeRequest(1, in: .shared)

        let answer = await request.resolve(Shortener.self).answer(to: "shorten https://swift.org")

        #expect(answer == "7")
        #expect(await links.mock.added == ["https://swift.org"])
    }

    @Test func saysThatANumberIsUnknown() async {
        registerServices(in: .shared)
        let links = MockContainer<any LinkStore, LinkStoreMock>(LinkStoreMock())
        let request = makeRequest(1, in: .shared)

        #expect(await request.resolve(Shortener.self).answer(to: "open 3") == "unknown")
        links.expectResolved(times: 1)
    }
}
