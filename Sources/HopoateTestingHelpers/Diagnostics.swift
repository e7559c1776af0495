// Every message that this module can end a process with.

/// The text for a mock that is not of the type that the container was asked to give it back as.
@inline(never)
func wrongMockMessage(registered: Any.Type, wanted: Any.Type, got: Any.Type) -> String {
    """
    the mock for '\(String(reflecting: registered))' is a '\(String(reflecting: got))', \
    not a '\(String(reflecting: wanted))': \
    pass one, or name its type as the second parameter of MockContainer.
    """
}
