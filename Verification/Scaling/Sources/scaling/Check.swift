import CScaling

/// The largest growth of an operation's work from n to 8 n.
enum Bound: String {
    /// 1.3: the work does not depend on n.
    case constant
    /// 8 × 1.3.
    case linear
    /// 64 × 1.3: the documentation names two numbers, and both are n here.
    case quadratic
}

/// One operation, with a number that the clients of a server control.
struct Check: Sendable {
    /// The operation, and the meaning of n.
    var operation: String
    var n: Int
    var bound: Bound
    /// Whether it breaks its bound on purpose, so that the check must fail.
    var isPlanted = false
    /// Prepares the data, and passes the operation to the meter.
    var body: @Sendable (_ n: Int, Meter) -> Void

    init(
        _ operation: String, _ n: Int, _ bound: Bound, isPlanted: Bool = false,
        _ body: @escaping @Sendable (_ n: Int, Meter) -> Void
    ) {
        self.operation = operation
        self.n = n
        self.bound = bound
        self.isPlanted = isPlanted
        self.body = body
    }
}

/// Counts the work of an operation.
struct Meter {
    /// Nil if nothing is counted, because this run is only for one-time work.
    var label: String?

    /// Counts the instructions of a closure.
    @inline(never)
    func count(_ operation: () -> Void) {
        guard let label else { return operation() }
        label.withCString { label in
            sca_begin()
            operation()
            sca_end(label)
        }
    }

    /// Counts the size of a text, in bytes, as the work.
    func take(_ size: Int) {
        if let label { print("size\t\(label)\t\(size)") }
    }
}
