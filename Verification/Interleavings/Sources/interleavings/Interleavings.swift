// interleavings [--more N] [SCENE ...]          all schedules of all scenes, or of these, with N more preemptions than usual
// interleavings --replay SCENE BOUND PATH       the schedule that a finding has printed

import CScheduler
import Foundation

private let scenes = threadScenes + commitScenes + completionScenes + taskScenes
private let mostSchedules: UInt = 200_000

// Only the strand that has the baton uses it.
nonisolated(unsafe) private var playing: (set: (Stage) -> Void, stage: Stage?) = ({ _ in }, nil)

@main
enum Interleavings {
    static func main() {
        schedules_take_over_tasks()
        var arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.count == 4, arguments[0] == "--replay", let bound = UInt32(arguments[2]) {
            withScene(scene(named: arguments[1]), bound: bound) { schedules_replay(&$0, arguments[3]) }
            print("interleavings: nothing was found in it")
            return
        }
        var more: UInt32 = 0
        if arguments.count > 1, arguments[0] == "--more", let number = UInt32(arguments[1]) {
            more = number
            arguments.removeFirst(2)
        }
        print(row("scene", "bound", "schedules", "points", "seconds"))
        for scene in arguments.isEmpty ? scenes : arguments.map(scene(named:)) { explore(scene, more) }
    }

    private static func scene(named name: String) -> Scene {
        if let scene = scenes.first(where: { $0.name == name }) { return scene }
        print("interleavings: there is no scene called \(name)")
        exit(2)
    }

    private static func row(_ name: String, _ columns: String...) -> String {
        let padded = columns.map { String(repeating: " ", count: max(0, 11 - $0.count)) + $0 }
        return name.padding(toLength: 24, withPad: " ", startingAt: 0) + padded.joined()
    }

    private static func explore(_ scene: Scene, _ more: UInt32) {
        let clock = ContinuousClock()
        let begun = clock.now
        var tally = schedule_tally()
        withScene(scene, bound: scene.bound + more) { tally = schedules_explore(&$0) }
        let seconds = (clock.now - begun) / .seconds(1)
        print(
            row(
                scene.name, "\(scene.bound + more)", "\(tally.schedules)\(tally.is_complete ? "" : "+")",
                "\(tally.longest)", String(format: "%.1f", seconds)))
        fflush(nil)
    }

    private static func withScene(_ scene: Scene, bound: UInt32, _ body: (inout schedule_scene) -> Void) {
        playing.set = scene.set
        scene.name.withCString { name in
            var description = schedule_scene(
                name: name, bound: bound, limit: mostSchedules, tasks_may_block: scene.tasksMayBlock,
                set: { set() }, check: { check() }, strike: { strike() })
            body(&description)
        }
    }
}

private func set() {
    Ledger.entries = []
    let stage = Stage()
    playing.stage = stage
    playing.set(stage)
}

private func check() { playing.stage?.check() }

/// Checks the conditions that hold at the end of every scene.
private func strike() {
    let mayLeak = playing.stage?.mayLeak ?? false
    playing.stage = nil
    if mayLeak { return }
    expect(Ledger.allEnded, "an instance is alive although everything was let go of")
    Ledger.expectDisposals(of: Ledger.owned(), "an instance was never disposed of")
}
