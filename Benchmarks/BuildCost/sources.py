"""Writes the sources that are measured: a module with many services, wired by the container, by a dictionary and by hand."""

SERVICES = 300
CALL_SITES = 1000
SERVICES_PER_FILE = 10

# The dictionary that a team would write: a lock, factories, and instances by type.
LOCATOR = """
final class Locator: @unchecked Sendable {
    private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private var factories: [ObjectIdentifier: (Locator) -> Any] = [:]
    private var instances: [ObjectIdentifier: Any] = [:]

    init() { pthread_mutex_init(lock, nil) }

    func register<Service>(_ type: Service.Type, factory: @escaping (Locator) -> Service) {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        factories[ObjectIdentifier(type)] = factory
    }

    func resolve<Service>(_ type: Service.Type) -> Service {
        let key = ObjectIdentifier(type)
        pthread_mutex_lock(lock)
        let existing = instances[key]
        let factory = factories[key]
        pthread_mutex_unlock(lock)
        if let existing { return existing as! Service }
        guard let factory else { fatalError("no registration of \\(type)") }
        let instance = factory(self)
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        instances[key] = instance
        return instance as! Service
    }
}
"""


def dependencies(number):
    """The services that a service takes: none to three, all with smaller numbers."""
    count = number % 4
    return [number - distance for distance in (1, 7, 31)[:count] if number - distance >= 0]


def implementation(number):
    parameters = [(f"part{index}", other) for index, other in enumerate(dependencies(number))]
    lines = [f"protocol Service{number}: Sendable {{ func value() -> Int }}", "",
             f"final class Implementation{number}: Service{number} {{"]
    lines += [f"    let {name}: any Service{other}" for name, other in parameters]
    if parameters:
        lines.append("    init(" + ", ".join(f"{name}: any Service{other}" for name, other in parameters) + ") {")
        lines += [f"        self.{name} = {name}" for name, _ in parameters]
        lines.append("    }")
    lines += [f"    func value() -> Int {{ {number} }}", "}", ""]
    return lines


def wiring(kind, number):
    """The statements that wire one service."""
    arguments = []
    for index, other in enumerate(dependencies(number)):
        found = {"container": f"container.resolve((any Service{other}).self)",
                 "dictionary": f"container.resolve((any Service{other}).self)",
                 "hand": f"service{other}"}[kind]
        arguments.append(f"part{index}: {found}")
    create = f"Implementation{number}({', '.join(arguments)})"
    if kind == "hand":
        return f"        service{number} = {create}"
    parameter = "container" if arguments else "_"
    return f"    container.register((any Service{number}).self) {{ {parameter} in {create} }}"


def module(kind):
    """The files of the module for a kind of wiring: container, dictionary or hand."""
    container = {"container": "DependencyContainer", "dictionary": "Locator", "hand": "Services"}[kind]
    head = ["import Hopoate", ""] if kind == "container" else []
    sites = CALL_SITES - sum(len(dependencies(number)) for number in range(SERVICES))
    files = {}
    parts = SERVICES // SERVICES_PER_FILE
    for part in range(parts):
        numbers = range(part * SERVICES_PER_FILE, (part + 1) * SERVICES_PER_FILE)
        lines = list(head)
        for number in numbers:
            lines += implementation(number)
        if kind != "hand":
            lines.append(f"func register{part}(_ container: {container}) {{")
            lines += [wiring(kind, number) for number in numbers] + ["}", ""]
        own = range(part, sites, parts)
        for site in own:
            other = site * 7 % SERVICES
            found = f"container.service{other}" if kind == "hand" else f"container.resolve((any Service{other}).self)"
            lines.append(f"func use{site}(_ container: {container}) -> Int {{ {found}.value() &+ {site} }}")
        lines += ["", f"func useAll{part}(_ container: {container}) -> Int {{", "    var sum = 0"]
        lines += [f"    sum &+= use{site}(container)" for site in own] + ["    return sum", "}", ""]
        files[f"Part{part}.swift"] = lines
    lines = list(head)
    if kind == "hand":
        lines += ["final class Services: Sendable {"]
        lines += [f"    let service{number}: any Service{number}" for number in range(SERVICES)]
        lines += ["", "    init() {"] + [wiring(kind, number) for number in range(SERVICES)] + ["    }", "}", ""]
    if kind == "dictionary":
        lines += ["import Foundation", LOCATOR]
    lines += ["@main", "struct Program {", "    static func main() {", f"        let container = {container}()"]
    if kind != "hand":
        lines += [f"        register{part}(container)" for part in range(parts)]
    lines += ["        var sum = 0"] + [f"        sum &+= useAll{part}(container)" for part in range(parts)]
    lines += ["        print(sum)", "    }", "}", ""]
    files["Program.swift"] = lines
    return {name: "\n".join(lines) for name, lines in files.items()}


# The forms whose bytes are counted: the parameter of a function, its body, and the same function without the container. {P} is the
# protocol, {C} a class that takes services, {N} the number of the type.
RESOLVE_FLOOR = ("_ make: () -> any {P}", "make().value() &+ {N}")
REGISTER_FLOOR = ("_ make: (@escaping @Sendable () -> Int) -> Void", "make {{ {N} }}; return {N}")
FORMS = {
    "resolve": ("_ container: DependencyContainer", "container.resolve((any {P}).self).value() &+ {N}", RESOLVE_FLOOR),
    "resolve.class": ("_ container: DependencyContainer", "container.resolve({C}.self).value() &+ {N}",
                      ("_ make: () -> {C}", "make().value() &+ {N}")),
    "resolve.shared": ("", "resolve((any {P}).self).value() &+ {N}", RESOLVE_FLOOR),
    "optionalResolve": ("_ container: DependencyContainer",
                        "(container.optionalResolve((any {P}).self)?.value() ?? 0) &+ {N}",
                        ("_ make: () -> (any {P})?", "(make()?.value() ?? 0) &+ {N}")),
    "require": ("_ container: DependencyContainer", "((try? container.require((any {P}).self))?.value() ?? 0) &+ {N}",
                ("_ make: () throws -> any {P}", "((try? make())?.value() ?? 0) &+ {N}")),
    "withService": ("_ container: DependencyContainer",
                    "container.withService((any {P}).self) {{ $0.value() }} &+ {N}", RESOLVE_FLOOR),
    "arguments": ("_ container: DependencyContainer", "container.resolve((any {P}).self, arguments: 7).value() &+ {N}",
                  RESOLVE_FLOOR),
    "resolveAll": ("_ container: DependencyContainer", "container.resolveAll((any {P}).self).count &+ {N}",
                   ("_ make: () -> [any {P}]", "make().count &+ {N}")),
    "wrapper": ("_ holder: Holder{N}", "holder.service.value() &+ {N}", RESOLVE_FLOOR),
    "register": ("_ container: DependencyContainer",
                 "container.register({C}.self) {{ container in try {C}(first: container(), second: container()) }}; return {N}",
                 REGISTER_FLOOR),
    "register.using": ("_ container: DependencyContainer", "container.register({C}.self, using: {C}.init); return {N}",
                       REGISTER_FLOOR),
}


def form(name, types, with_container):
    """A module that uses one form with a number of types, or the same module without the container."""
    parameter, body, floor = FORMS[name]
    if not with_container:
        parameter, body = floor
    lines = ["import Hopoate", ""]
    for number in range(types):
        names = {"P": f"Service{number}", "C": f"Class{number}", "N": number}
        others = [f"any Service{(number + distance) % types}" for distance in (1, 2)]
        lines += [f"public protocol {names['P']}: Sendable {{ func value() -> Int }}",
                  f"public final class {names['C']}: Sendable {{",
                  f"    let first: {others[0]}", f"    let second: {others[1]}",
                  f"    init(first: {others[0]}, second: {others[1]}) {{",
                  "        self.first = first", "        self.second = second", "    }",
                  f"    func value() -> Int {{ {number} }}", "}"]
        if name == "wrapper" and with_container:
            lines.append(f"public struct Holder{number} {{ @Dependency var service: any {names['P']} }}")
        lines.append(f"public func use{number}({parameter.format(**names)}) -> Int {{ {body.format(**names)} }}")
    return "\n".join(lines) + "\n"
