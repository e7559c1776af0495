// All messages of this module.

import Hopoate

/// The message for a mock that is not of the type that the container has to return it as.
@inline(never)
func wrongMockMessage(registered: Any.Type, wanted: Any.Type, got: Any.Type) -> String {
    """
    Cannot mock '\(typeLabel(registered))': the mock is of type '\(typeLabel(got))', not \
    '\(typeLabel(wanted))'. Pass a mock of this type, or name the type of the mock as the second parameter of \
    `MockContainer`.
    """
}

/// The message for a mock that was not resolved as often as a test expects.
func wrongCountMessage(mock type: Any.Type, wanted: Int?, got: Int) -> String {
    """
    Expected the mock for '\(typeLabel(type))' to be resolved \(times(wanted)), but it was resolved \(times(got)). Check \
    that the code under test resolves it from the container of the mock.
    """
}

/// The message for a function that was not called as often as a test expects.
func wrongCallsMessage(_ name: String, wanted: Int?, _ calls: [String]) -> String {
    let list = calls.isEmpty ? "" : ": " + calls.joined(separator: ", ")
    return "Expected '\(name)' to be called \(times(wanted)), but it was called \(times(calls.count))\(list)."
}

func times(_ count: Int?) -> String {
    guard let count else { return "at least once" }
    return count == 1 ? "once" : "\(count) times"
}

/// The message for the use of a placeholder.
func unimplementedMessage(_ subject: String, at place: String, _ verb: String) -> String {
    """
    The \(subject) is unimplemented, at \(place), but was \(verb). Replace the placeholder with a fake, or find out who uses it
    """
}

/// The message for a live service that a strict test neither allows nor shadows.
func liveServiceMessage(_ dependency: ObservedDependency) -> String {
    let place = dependency.place.map { ", registered at \($0)," } ?? ""
    let code = typeExpression(dependency.service)
    return """
        '\(dependency)'\(place) is a live service, which this test may not use. Register a fake in the test, or allow it with \
        `.strict(allowing: \(code))`
        """
}

/// The message for an instance whose disposal hooks nobody ran.
func leftOutShutdownMessage(_ identity: ServiceIdentity, at place: String?) -> String {
    """
    '\(identity)'\(place.map { ", registered at \($0)," } ?? "") was created, but its container was not shut down, so nobody awaits its \
    disposal hook. Call `await container.shutdown()` before the end of the test, or use `withChild`
    """
}

/// The message for children that something references after their end.
func keptContainersMessage(_ count: Int) -> String {
    """
    Something still references \(count == 1 ? "a child container" : "\(count) child containers") that was shut down, and can resolve nothing \
    from it. Do not store the container of a request. Start work that outlives the request with `startJob(keeping:)`
    """
}

/// The message for a service that a factory has resolved, and that its source does not list.
func unlistedUseMessage(of service: ServiceIdentity, by user: ObservedDependency, _ file: String) -> String {
    """
    The factory of '\(user)'\(user.place.map { ", registered at \($0)," } ?? "") has resolved '\(service)', which '\(file)' does not list. \
    Run `swift package check-wiring --write \(file)` again. If the file still lacks it, let the factory take it as a parameter
    """
}

/// The message for a registration that is not in the file with the needs of the source.
func unlistedRegistrationMessage(_ registration: AnyServiceRegistration, _ file: String) -> String {
    """
    '\(file)' does not list '\(registration.identity)'\(registration.place.map { ", registered at \($0)," } ?? "") so it is out of date. \
    Run `swift package check-wiring --write \(file)` again.
    """
}

/// The message for a file that has none of the registrations of a container.
func unrelatedWiringMessage(_ file: String) -> String {
    """
    '\(file)' lists no registration of this container. Register the services of the program that check-wiring has read, or run \
    `swift package check-wiring --write \(file)` again.
    """
}
