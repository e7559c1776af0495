import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Threads of the system that start together.
enum Threads {
    /// Runs a closure on `count` threads.
    ///
    /// The body prepares and then calls its argument, which returns on all threads at the same moment with that time in
    /// nanoseconds. Then the body does the concurrent work.
    static func run(_ count: Int, _ body: @escaping @Sendable (_ start: () -> UInt64) -> Void) {
        let barrier = Barrier(count)
        let threads = (0..<count).map { _ in start { body(barrier.wait) } }
        for thread in threads { pthread_join(thread, nil) }
    }

    /// Runs a closure on a thread of its own.
    static func start(_ body: @escaping @Sendable () -> Void) -> pthread_t {
        let argument = Unmanaged.passRetained(Body(body)).toOpaque()
        #if canImport(Darwin)
            var thread: pthread_t?
            pthread_create(
                &thread, nil,
                {
                    Body.take($0).body(); return nil
                }, argument)
            return thread!
        #else
            var thread = pthread_t()
            // Sound, because the argument is the one that was passed.
            pthread_create(
                &thread, nil,
                {
                    Body.take($0!).body(); return nil
                }, argument)
            return thread
        #endif
    }

    private final class Body: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }

        static func take(_ argument: UnsafeMutableRawPointer) -> Body {
            // Balances the `passRetained` of `start`.
            Unmanaged<Body>.fromOpaque(argument).takeRetainedValue()
        }
    }
}

/// A spinning barrier: all waiters leave it within nanoseconds.
private final class Barrier: Sendable {
    private let missing: Atomic<Int>
    /// The time of the last arrival, or zero before it.
    private let opened = Atomic<UInt64>(0)

    init(_ count: Int) { missing = Atomic(count) }

    func wait() -> UInt64 {
        if missing.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 {
            opened.store(System.nanoseconds(), ordering: .releasing)
        }
        while true {
            let time = opened.load(ordering: .acquiring)
            if time != 0 { return time }
            sched_yield()
        }
    }
}

/// Work that repeats on a thread of its own while other subjects are measured.
final class Background: Sendable {
    private let shouldRun = Atomic(false)
    private let completed = Total()
    private let step: @Sendable () -> Void

    init(_ step: @escaping @Sendable () -> Void) { self.step = step }

    /// The number of repetitions so far.
    var steps: UInt64 { completed.sum }

    func during(_ body: () -> Void) {
        shouldRun.store(true, ordering: .relaxed)
        let thread = Threads.start { [self] in
            while shouldRun.load(ordering: .relaxed) {
                step()
                completed.add(1)
            }
        }
        body()
        shouldRun.store(false, ordering: .relaxed)
        pthread_join(thread, nil)
    }
}
