// The services of Refused.swift, Sending.swift and Accepted.swift, which are compiled beside this file, one at a time.

nonisolated final class Counter {  // not Sendable
    var count = 0
}

nonisolated struct Layout: Sendable {
    let width: Int
}

@MainActor enum Screen {
    static var width = 80
}
