// All messages of this module.

/// The message for a mock that is not of the type that the container has to return it as.
@inline(never)
func wrongMockMessage(registered: Any.Type, wanted: Any.Type, got: Any.Type) -> String {
    """
    the mock for '\(String(reflecting: registered))' is a '\(String(reflecting: got))', \
    not a '\(String(reflecting: wanted))': \
    pass one, or name its type as the second parameter of MockContainer.
    """
}

/// The message for a mock that was not resolved as often as a test expects.
func wrongCountMessage(mock type: Any.Type, wanted: Int?, got: Int) -> String {
    func times(_ count: Int) -> String { count == 1 ? "once" : "\(count) times" }
    let wanted = wanted.map { $0 == 0 ? "not at all" : times($0) } ?? "at least once"
    return """
        the mock for '\(String(reflecting: type))' was to be resolved \(wanted), but was resolved \(times(got)): \
        look whether the code under test asks the container that the mock is registered in.
        """
}
