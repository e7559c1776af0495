/// What is compared.
enum WiringKind: String, CaseIterable {
    case container, hand, dictionary
}
