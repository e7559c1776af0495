/// The needs of each registration by its place, as `wiring.json`.
struct WiringFile: Encodable {
    struct Entry: Encodable {
        /// `Module/File.swift:12`, as `#fileID` and `#line` of the registration.
        let place: String
        let type: String
        let needs: [NeedEntry]
    }

    struct NeedEntry: Encodable {
        /// The type in full, as the demangler prints it.
        let type: String
        let name: String?
        let arguments: [String]?
        let kind: Need.Kind
    }

    let version = 1
    let registrations: [Entry]

    init(_ wiring: Wiring) {
        registrations = wiring.registrations.filter { !$0.key.type.isOpen }.sorted { $0.place < $1.place }.map {
            registration in
            let needs = wiring.needs(of: registration).filter { !$0.key.isOpen }.map { need in
                // A need that runs later is no edge of the creation, whatever resolves it.
                let kind = need.isLater && need.kind == .service ? Need.Kind.lazy : need.kind
                var name: String?
                if case .text(let text) = need.key.name { name = text }
                let arguments = need.key.arguments.map(\.text)
                return NeedEntry(
                    type: need.key.type.text, name: name, arguments: arguments.isEmpty ? nil : arguments, kind: kind)
            }
            return Entry(place: registration.place.fileID, type: registration.key.type.text, needs: needs)
        }
    }
}
