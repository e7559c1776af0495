/// The needs of each registration by its place, as `wiring.json`.
///
/// `SourceWiringFile` of HopoateTestingHelpers reads the file. It finds a type by its mangled name, or among those of the container by its
/// text: the run time knows no names of private types.
struct WiringFile: Encodable {
    struct Entry: Encodable {
        /// `Module/File.swift:12`, as `#fileID` and `#line` of the registration; nil if the call passes on the place of its caller.
        let place: String?
        /// Nil if the type depends on a generic parameter.
        let type: TypeEntry?
        let name: String?
        /// Whether the program computes the name, or another package has it.
        let hasAnyName: Bool
        /// Whether the code resolves services that are not known, such as those of a generic parameter.
        let isOpen: Bool
        let needs: [NeedEntry]
    }

    struct TypeEntry: Encodable {
        /// The type in full, as in messages.
        let text: String
        let mangled: String?

        init(_ type: ServiceType) {
            // The run time shows private types as all others.
            text = type.shown.replacing(/\((\w+) in _[0-9A-F]+\)/) { $0.output.1 }
            mangled = type.mangled
        }
    }

    struct NeedEntry: Encodable {
        let type: TypeEntry
        let name: String?
        /// Whether a list has the registrations with names, too.
        let hasAnyName: Bool
        let arguments: [String]?
        let kind: Need.Kind
        /// Whether the service is resolved after the factory has returned.
        let isLater: Bool
        /// Whether it is a parameter, or the target of an alias: then the run time knows it without this file.
        let isParameter: Bool
    }

    let version = 1
    /// The modules that the file has all registrations of.
    let modules: [String]
    let registrations: [Entry]

    init(_ wiring: Wiring, modules: [String]) {
        self.modules = modules
        registrations = (wiring.registrations + wiring.decorators).sorted { $0.place < $1.place }.map { registration in
            let needs = wiring.needs(of: [registration.body])
            // The place of a property is that of `install`. A property with a name is also registered without.
            let isProperty = registration.form == .property
            return Entry(
                place: registration.hasPlaceOfCaller || isProperty ? nil : registration.place.fileID,
                type: registration.key.type.isOpen ? nil : TypeEntry(registration.key.type),
                name: registration.key.name.text, hasAnyName: isProperty || registration.key.name.isUnknown,
                isOpen: !needs.allSatisfy(\.key.isKnown),
                needs: needs.filter(\.key.isKnown).map { NeedEntry($0, isForward: registration.form == .forward) })
        }
    }
}

extension WiringFile.NeedEntry {
    fileprivate init(_ need: Need, isForward: Bool) {
        type = WiringFile.TypeEntry(need.key.type)
        name = need.key.name.text
        hasAnyName = need.takesAnyName
        arguments = need.key.arguments.isEmpty ? nil : need.key.arguments.map(\.shown)
        kind = need.kind
        isLater = need.isLater
        isParameter = need.isParameter || isForward && need.asker == "forward"
    }
}

extension ServiceName {
    fileprivate var text: String? { if case .text(let text) = self { text } else { nil } }

    /// Whether only the program knows the text.
    fileprivate var isUnknown: Bool {
        switch self {
        case .none, .text: false
        case .constant, .open: true
        }
    }
}

extension Key {
    /// Whether the type, the arguments and the text of the name are known.
    fileprivate var isKnown: Bool { !isOpen && !name.isUnknown }
}
