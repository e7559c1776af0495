// Threads that use the container while they end, after the library's own destructor for the thread. They share one record there, and take
// references in place of borrows.
import Foundation

/// What a thread does while it ends.
private final class End {
    let round: Int
    let hasEnded = DispatchSemaphore(value: 0)
    var passes = 0

    init(_ round: Int) { self.round = round }
}

/// Its destructors run in passes. In the second one, those of the first pass have run.
private let ending: pthread_key_t = {
    var key = pthread_key_t()
    let status = pthread_key_create(&key) { value in
        let value: UnsafeMutableRawPointer? = value
        guard let value else { return }
        let end = Unmanaged<End>.fromOpaque(value).takeUnretainedValue()
        end.passes += 1
        if end.passes == 1 {
            pthread_setspecific(ending, value)
        } else {
            read(end.round)
            container.withService(Message.self) { precondition($0.isWhole) }
            change(end.round)
            end.hasEnded.signal()
        }
    }
    precondition(status == 0)
    return key
}()

func useWhileThreadsEnd() {
    for round in 0..<400 {
        let end = End(round)
        nonisolated(unsafe) let value = Unmanaged.passUnretained(end).toOpaque()
        Thread.detachNewThread {
            precondition(container.resolve(Message.self).isWhole)
            pthread_setspecific(ending, value)
        }
        end.hasEnded.wait()
    }
}
