/// The kinds of wiring to compare.
enum WiringKind: String, CaseIterable {
    case container, hand, dictionary
}
