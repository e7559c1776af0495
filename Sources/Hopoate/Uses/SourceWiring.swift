// The needs of factories as `swift package check-wiring` has read them from the source.
//
// Only a test knows them. It attaches them to its container, and a snapshot of the wiring joins them by the place of the registration. So
// validation, trees and drawings follow the edges of closures as they follow parameters. Resolving, starting and stopping read no
// snapshot with these needs: a test resolves as the program does.
//
// The run time finds a type by its mangled name. It knows no names of private types, so it takes the only registered type of the same text.
// If it finds no type, it does not know the need, and the registration stays opaque.

/// The needs of registrations by their place.
package struct SourceWiring: Sendable {
    /// A type as the source names it.
    package struct TypeName: Sendable {
        let text: String
        /// The type; nil if the run time does not find it by its name.
        let type: (any Any.Type)?

        package init(text: String, mangled: String?) {
            self.text = text
            if #available(macOS 11, iOS 14, tvOS 14, watchOS 7, *), let mangled {
                // The compiler puts `$s` before the name of a type, and `D` after it.
                type = _typeByName(String(mangled.dropFirst(2).dropLast()))
            } else {
                type = nil
            }
        }

        /// Whether this is the name of a type, or of another one that the run time does not find.
        func names(_ other: any Any.Type) -> Bool { type.map { $0 == other } ?? (text == typeLabel(other)) }
    }

    /// A service that the code of a factory resolves.
    package struct Need: Sendable {
        /// How the code uses the service.
        package enum Kind: String, Sendable { case service, optional, list, lazy, provider }

        let type: TypeName
        let name: DependencyName?
        let hasAnyName: Bool
        /// The types of the arguments, in brackets; nil if there are none.
        let arguments: String?
        let kind: Kind
        let isLater: Bool
        let isParameter: Bool

        package init(
            _ type: TypeName, name: DependencyName?, hasAnyName: Bool, arguments: String?, _ kind: Kind, isLater: Bool,
            isParameter: Bool
        ) {
            self.type = type
            self.name = name
            self.hasAnyName = hasAnyName
            self.arguments = arguments
            self.kind = kind
            self.isLater = isLater
            self.isParameter = isParameter
        }

        /// Whether the code asks for a service, with whatever arguments.
        func asks(for service: ServiceIdentity) -> Bool {
            (hasAnyName || name == service.name) && type.names(service.type)
        }

        var label: String { serviceLabel(type.text, arguments, named: name?.text) }
    }

    /// A registration in the source.
    package struct Entry: Sendable {
        /// The place; nil if the call passes on the place of its caller.
        let place: String?
        /// Nil if the type depends on a generic parameter.
        let type: TypeName?
        let name: DependencyName?
        let hasAnyName: Bool
        /// Whether the code resolves services that are not known.
        let isOpen: Bool
        let needs: [Need]

        package init(
            at place: String?, _ type: TypeName?, name: DependencyName?, hasAnyName: Bool, isOpen: Bool, _ needs: [Need]
        ) {
            self.place = place
            self.type = type
            self.name = name
            self.hasAnyName = hasAnyName
            self.isOpen = isOpen
            self.needs = needs
        }

        /// Whether the entry is that of a registration at the same place.
        fileprivate func registers(_ service: ServiceIdentity) -> Bool {
            (hasAnyName || name == service.name) && type?.names(service.type) ?? true
        }
    }

    /// The name of the file, for messages.
    package let file: String
    /// The modules that check-wiring has read completely: the file lists every registration in them.
    private let modules: Set<String>
    private let entries: [String: [Entry]]
    private let withoutPlace: [Entry]

    package init(file: String, modules: [String], _ entries: [Entry]) {
        self.file = file
        self.modules = Set(modules)
        self.entries = Dictionary(grouping: entries.filter { $0.place != nil }) { $0.place ?? "" }
        withoutPlace = entries.filter { $0.place == nil }
    }

    /// Whether a call without a place of its own may register any type.
    var hasOpenPlaces: Bool { withoutPlace.contains { $0.type == nil } }

    /// Whether the file has all registrations of the module of a place, such as `Module/File.swift:12`.
    func hasModule(of place: String) -> Bool {
        place.split(separator: "/").first.map { modules.contains(String($0)) } ?? false
    }

    /// Returns the entry of a registration; nil if there is none.
    func entry(at place: String?, of service: ServiceIdentity) -> Entry? {
        guard let place else { return nil }
        let atPlace = (entries[place] ?? []).filter { $0.registers(service) }
        return atPlace.first { $0.type != nil } ?? atPlace.first
            ?? withoutPlace.first { $0.registers(service) && hasModule(of: place) }
    }

    func entry(of registration: AnyServiceRegistration) -> Entry? {
        entry(at: registration.place, of: registration.identity)
    }

    /// Returns whether the source of a registration lists a service that its factory has resolved; nil if some of its needs are not known.
    package func lists(_ service: ServiceIdentity, for user: ObservedDependency) -> Bool? {
        guard let entry = entry(at: user.place, of: user.identity), !entry.isOpen else { return nil }
        return user.parameters.contains(service) || entry.needs.contains { $0.asks(for: service) }
    }
}

/// The needs that a test has attached to a container.
private struct AttachedSourceWiring: ContainerAttachment {
    var wiring: SourceWiring?
}

extension DependencyContainer {
    /// The needs that snapshots of the wiring of this container and its children join; nil if there are none.
    package var sourceWiring: SourceWiring? {
        get {
            withNearestAttachment(AttachedSourceWiring.self) { $0.wiring } ?? nil
        }
        set {
            _ = state.withAttachment(AttachedSourceWiring.self) { attached in
                defer { attached.wiring = newValue }
                return attached.wiring
            }
        }
    }
}
