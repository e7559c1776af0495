// Every message of this module.

/// The text for a mock that is not of the type that the container was asked to give it back as.
@inline(never)
func wrongMockMessage(registered: Any.Type, wanted: Any.Type, got: Any.Type) -> String {
    """
    the mock for '\(String(reflecting: registered))' is a '\(String(reflecting: got))', \
    not a '\(String(reflecting: wanted))': \
    pass one, or name its type as the second parameter of MockContainer.
    """
}

/// The text for a mock that was not resolved as often as a test insists.
func wrongCountMessage(mock type: Any.Type, wanted: Int?, got: Int) -> String {
    func times(_ count: Int) -> String { count == 1 ? "once" : "\(count) times" }
    let wanted = wanted.map { $0 == 0 ? "not at all" : times($0) } ?? "at least once"
    return """
        the mock for '\(String(reflecting: type))' was to be resolved \(wanted), but was resolved \(times(got)): \
        look whether the code under test asks the container that the mock is registered in.
        """
}
