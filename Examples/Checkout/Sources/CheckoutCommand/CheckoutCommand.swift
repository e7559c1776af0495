import Checkout
import Foundation
import Hopoate

/// The command line: parses arguments, prints a report, and exits with a line and a status on errors.
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
            // Checks that every parameter of an initializer is registered, before the first order.
            try DependencyContainer.shared.validate()
        } catch {
            fail("\(error)", status: 70)
        }
        let input = read(options.file)
        let report = await CheckoutRun(options).report(on: InputLines(input), name: options.file ?? "standard input")
        print(report.text, terminator: "")
    }

    /// Reads a whole file, or standard input.
    private static func read(_ file: String?) -> Data {
        do {
            let handle =
                if let file { try FileHandle(forReadingFrom: URL(filePath: file)) } else { FileHandle.standardInput }
            return try handle.readToEnd() ?? Data()
        } catch {
            // The error of the system is clearer than the error of Foundation.
            let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? any Error ?? error
            fail("cannot read \(file ?? "standard input"): \(cause.localizedDescription)", status: 1)
        }
    }

    private static func fail(_ message: String, status: Int32) -> Never {
        FileHandle.standardError.write(Data("checkout: \(message)\n".utf8))
        exit(status)
    }
}
