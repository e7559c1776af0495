import CScaling

/// How the work of an operation may grow when n becomes eight times as large.
enum Bound: String {
    /// By 1.3: as much as always.
    case constant
    /// By 8 × 1.3.
    case linear
    /// By 64 × 1.3: documented as growing with two numbers, both of which are n here.
    case quadratic
}

/// One operation, with something that a client of a server controls the number of.
struct Check: Sendable {
    /// The operation, and what there are n of.
    var operation: String
    var n: Int
    var bound: Bound
    /// Whether it breaks its bound on purpose, so that the check has to fail.
    var isPlanted = false
    /// Prepares, and passes the operation itself to the meter.
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

/// Counts what an operation takes.
struct Meter {
    /// Nil: nothing is counted, because this run is only to make everything that is made once.
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

    /// Takes a size as the work: of a text, in bytes.
    func take(_ size: Int) {
        if let label { print("size\t\(label)\t\(size)") }
    }
}
