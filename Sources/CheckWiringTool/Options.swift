/// The arguments of the tool.
struct Options {
    var manifest = ""
    var modules: [String] = []
    var isWhole = false
    var isJSON = false
    var showsOpenFacts = false
    var acceptsAnyCompiler = false
    var allowances: [Allowance] = []
    var baseline: String?
    var newBaseline: String?
    var wiringFile: String?
    var compilerArguments: [String] = []

    init(_ arguments: [String]) throws(ToolError) {
        var rest = arguments[...]
        func value(_ option: String) throws(ToolError) -> String {
            guard let value = rest.popFirst() else { throw ToolError("'\(option)' needs a value") }
            return value
        }
        while let option = rest.popFirst() {
            switch option {
            case "--manifest": manifest = try value(option)
            case "--module": modules.append(try value(option))
            case "--whole": isWhole = true
            case "--open": showsOpenFacts = true
            case "--any-compiler": acceptsAnyCompiler = true
            case "--allow": allowances.append(try Allowance(try value(option)))
            case "--baseline": baseline = try value(option)
            case "--write-baseline": newBaseline = try value(option)
            case "--write": wiringFile = try value(option)
            case "-Xswiftc": compilerArguments.append(try value(option))
            case "--format":
                let format = try value(option)
                guard ["json", "text"].contains(format) else {
                    throw ToolError("unknown format '\(format)': use 'text' or 'json'")
                }
                isJSON = format == "json"
            default: throw ToolError("unknown option '\(option)'")
            }
        }
        guard !manifest.isEmpty, !modules.isEmpty else { throw ToolError("the tool needs `--manifest` and `--module`") }
    }
}
