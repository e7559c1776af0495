import Testing

@testable import CheckWiringTool

@Suite struct WiringFileTests {
    @Test func privateTypesHaveTheTextOfMessages() {
        let type = ServiceType(
            text: "App.(Stamp in _9AA20C7C53A214BFCE5DF8269DEEAC4F)",
            shown: "App.(Stamp in _9AA20C7C53A214BFCE5DF8269DEEAC4F)",
            mangled: "$s3App5Stamp33_9AA20C7C53A214BFCE5DF8269DEEAC4FLLVD", isOpen: false)
        #expect(WiringFile.TypeEntry(type).text == "App.Stamp")
        #expect(WiringFile.TypeEntry(type).mangled == type.mangled)
    }
}
