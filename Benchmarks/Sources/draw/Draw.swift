import Charts
import Foundation

/// `draw --from FILE --to FOLDER` draws a run that `benchmark --json FILE` has written, and measures nothing.
@main
enum Draw {
    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count == 4, arguments[0] == "--from", arguments[2] == "--to" else {
            end(2, "usage: draw --from FILE --to FOLDER")
        }
        do {
            let run = try JSONDecoder().decode(
                Measurements.self, from: Data(contentsOf: URL(fileURLWithPath: arguments[1])))
            let pictures = run.pictures
            guard !pictures.isEmpty else { end(1, "draw: '\(arguments[1])' has no rows that a picture is made of") }
            for (file, svg) in pictures {
                let target = URL(fileURLWithPath: arguments[3]).appendingPathComponent(file)
                try Data(svg.utf8).write(to: target)
                print("draw: \(target.path)")
            }
        } catch {
            end(1, "draw: cannot draw '\(arguments[1])' into '\(arguments[3])': \(error)")
        }
    }

    private static func end(_ status: Int32, _ message: String) -> Never {
        FileHandle.standardError.write(Data((message + "\n").utf8))
        exit(status)
    }
}
