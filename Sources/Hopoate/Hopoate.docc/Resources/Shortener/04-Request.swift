/// The number of a request.
struct RequestNumber {
    let value: Int
}

/// The log of one request.
actor RequestLog {
    private let number: RequestNumber
    private var notes: [String] = []

    init(number: RequestNumber) {
        self.number = number
    }

    func note(_ text: String) {
        notes.append(text)
    }

    var summary: String {
        "request \(number.value): \(notes.joined(separator: ", "))"
    }
}
