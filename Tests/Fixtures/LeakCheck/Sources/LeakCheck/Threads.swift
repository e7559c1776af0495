#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A thread of its own.
struct Thread {
    private final class Body {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    private let thread: pthread_t

    init(_ run: @escaping @Sendable () -> Void) {
        let body = Unmanaged.passRetained(Body(run)).toOpaque()
        #if canImport(Darwin)
            var thread: pthread_t?
            pthread_create(&thread, nil, { Thread.run($0) }, body)
            self.thread = thread.unsafelyUnwrapped
        #else
            var thread = pthread_t()
            pthread_create(&thread, nil, { $0.flatMap { Thread.run($0) } }, body)
            self.thread = thread
        #endif
    }

    private static func run(_ body: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
        Unmanaged<Body>.fromOpaque(body).takeRetainedValue().run()
        return nil
    }

    func join() { pthread_join(thread, nil) }
}
