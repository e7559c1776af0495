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

nonisolated struct Frame: Sendable {
    init(layout: Layout, number: Int) {}
    init(layout: Layout, name: String) {}
}

nonisolated struct Margin: Sendable {
    init(left: Layout) {}
    init(right: Layout) {}
}
