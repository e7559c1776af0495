import Checkout
import Foundation
import Hopoate

/// The command line: arguments in, a report out, one clear line and a status where something is wrong.
@main
enum CheckoutCommand {
    static func main() async {
        let options: Options
        do {
            let cores = ProcessInfo.processInfo.activeProcessorCount
            options = try Options(Array(CommandLine.arguments.dropFirst()), cores: cores)
        } catch {
            fail("\(error); see checkout --help", status: 2)
        }
        if options.wantsHelp {
            print(Options.usage)
            return
        }
        Services.register(in: .shared)
        do {
            // Everything that an initializer takes is there, before the first order is.
            try DependencyContainer.shared.validate()
        } catch {
            fail("\(error)", status: 70)
        }
        let input = read(options.file)
        let report = await CheckoutRun(options).report(on: InputLines(input), name: options.file ?? "standard input")
        print(report.text, terminator: "")
    }

    /// All of a file, or of standard input.
    private static func read(_ file: String?) -> Data {
        do {
            let handle =
                if let file { try FileHandle(forReadingFrom: URL(filePath: file)) } else { FileHandle.standardInput }
            return try handle.readToEnd() ?? Data()
        } catch {
            // What the system said is clearer than what Foundation makes of it.
            let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? any Error ?? error
            fail("cannot read \(file ?? "standard input"): \(cause.localizedDescription)", status: 1)
        }
    }

    private static func fail(_ message: String, status: Int32) -> Never {
        FileHandle.standardError.write(Data("checkout: \(message)\n".utf8))
        exit(status)
    }
}
