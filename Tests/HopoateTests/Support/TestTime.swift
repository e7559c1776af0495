import Hopoate

/// A time that passes only when a test says so.
@available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
final class TestTime: ShutdownTime {
    private struct Sleeper {
        let deadline: Duration
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var now = Duration.zero
        var sleepers: [Int: Sleeper] = [:]
        var cancelled: Set<Int> = []
        var count = 0
    }

    private let state = Locked(State())

    var now: Duration { state.withLock { $0.now } }

    /// The number of calls of `sleep` that have not returned.
    var sleepers: Int { state.withLock { $0.sleepers.count } }

    func sleep(until deadline: Duration) async {
        let number = state.withLock { state in
            state.count += 1
            return state.count
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.now >= deadline || state.cancelled.remove(number) != nil { return true }
                    state.sleepers[number] = Sleeper(deadline: deadline, continuation: continuation)
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            let sleeper = state.withLock { state in
                let sleeper = state.sleepers.removeValue(forKey: number)
                if sleeper == nil { state.cancelled.insert(number) }
                return sleeper
            }
            sleeper?.continuation.resume()
        }
    }

    /// Lets time pass.
    func advance(by duration: Duration) {
        let woken = state.withLock { state in
            state.now += duration
            let woken = state.sleepers.filter { $0.value.deadline <= state.now }
            for number in woken.keys { state.sleepers[number] = nil }
            return woken.values.map(\.continuation)
        }
        for continuation in woken { continuation.resume() }
    }
}
