import Hopoate

/// Tells the types of nodes apart.
protocol Tag: Sendable {}
enum T0: Tag {}
enum T1: Tag {}
enum T2: Tag {}
enum T3: Tag {}
enum T4: Tag {}
enum T5: Tag {}
enum T6: Tag {}
enum T7: Tag {}

/// The types of nodes.
let nodes: [any NodeType.Type] = [
    Node<T0>.self, Node<T1>.self, Node<T2>.self, Node<T3>.self, Node<T4>.self, Node<T5>.self, Node<T6>.self,
    Node<T7>.self,
]

/// The names of services.
let nameTexts = ["a", "b"]
let names = nameTexts.map { DependencyName($0) }

/// The requests whose data an instance was made from, as bits.
struct Marks: Equatable {
    /// Through services that only the container of the request has.
    var values: UInt8 = 0
    /// Through a task-local that the request has bound.
    var locals: UInt8 = 0

    var isEmpty: Bool { values == 0 && locals == 0 }

    mutating func formUnion(_ other: Marks) {
        values |= other.values
        locals |= other.locals
    }
}

/// The bits of the request around this code.
enum Request {
    @TaskLocal static var bits: UInt8 = 0
}

/// An instance of a service.
// Unchecked, because it has variables. Sound, because all code runs on one thread.
class Instance: @unchecked Sendable, Parameter {
    /// The index of its registration.
    let origin: Int
    /// The instances that it was made from.
    let parts: [Instance]
    let handles: [HandleUse]
    /// The instances that its completion added, except those that hold this one: the program would make a cycle of strong references.
    final var late: [Instance] = []
    let marks: Marks
    /// The registrations that it was made from, as a hash.
    let shape: Int
    final var isDisposed = false

    init(_ contents: Contents) {
        origin = contents.origin
        parts = contents.parts
        handles = contents.handles
        var marks = contents.marks
        marks.locals |= Request.bits
        for part in contents.parts { marks.formUnion(part.marks) }
        self.marks = marks
        shape = contents.shape
        Living.add(self)
    }

    deinit { Living.remove(self) }

    final func add(to contents: inout Contents) { contents.add(self) }

    /// Whether it holds another instance, directly or through others, or is the same one.
    final func reaches(_ other: Instance) -> Bool {
        var seen: Set<ObjectIdentifier> = []
        var pending = [self]
        while let instance = pending.popLast() {
            if instance === other { return true }
            guard seen.insert(ObjectIdentifier(instance)).inserted else { continue }
            pending += instance.parts + instance.late + instance.handles.compactMap(\.kept)
        }
        return false
    }
}

/// The instances that are alive.
enum Living {
    // Unsafe, because it is not protected. Sound, because all code runs on one thread.
    nonisolated(unsafe) private static var instances: [ObjectIdentifier: Unmanaged<Instance>] = [:]

    /// The number of instances that were made during one step of a caller.
    nonisolated(unsafe) private static var made = 0

    /// Whether so many were made that a creation seems to go on for ever. More would be released by a recursion that is too deep.
    static var areTooMany: Bool { made > 20_000 }

    /// Counts from the beginning, for the next step of a caller.
    static func restartCount() {
        if !areTooMany { made = 0 }
    }

    fileprivate static func add(_ instance: Instance) {
        made += 1
        instances[ObjectIdentifier(instance)] = .passUnretained(instance)
    }

    fileprivate static func remove(_ instance: Instance) { instances[ObjectIdentifier(instance)] = nil }

    /// Those that a condition holds for, by registration.
    static func all(where condition: (Instance) -> Bool = { _ in true }) -> [Instance] {
        var found: [Instance] = []
        for reference in instances.values {
            let instance = reference.takeUnretainedValue()
            if condition(instance) { found.append(instance) }
        }
        return found.sorted { $0.origin < $1.origin }
    }

    static var isEmpty: Bool { instances.isEmpty }

    /// Forgets all, before the next run.
    static func reset() {
        instances = [:]
        made = 0
    }
}

/// The error of a factory that ends a creation which would go on for ever.
struct Endless: Error {}

/// The parts of an instance that is about to be made.
struct Contents {
    let origin: Int
    var parts: [Instance] = []
    var handles: [HandleUse] = []
    var marks = Marks()
    private(set) var shape: Int

    init(_ origin: Int) {
        self.origin = origin
        shape = origin &+ 1
    }

    /// The contents of what a caller has got.
    init(holding parameter: some Parameter) {
        self.init(0)
        parameter.add(to: &self)
    }

    mutating func combine(_ number: Int) { shape = (shape &* 0x1000_0000_01B3) ^ number }

    mutating func add(_ instance: Instance) {
        parts.append(instance)
        combine(instance.shape)
    }

    mutating func add(_ others: Contents) {
        parts += others.parts
        combine(others.shape)
    }

    mutating func add(_ handle: any Handle) {
        handles.append(HandleUse(handle))
        combine(1)
    }
}

// MARK: - Types of parameters and services

/// A type that a factory takes.
protocol Parameter: Sendable {
    func add(to contents: inout Contents)
}

/// A type that a service is registered as.
protocol Service: Parameter {
    static func make(_ contents: Contents) -> Self
    var instances: [Instance] { get }
}

protocol NodeType: Instance, Service {
    static func parameter(_ form: Form) -> any Parameter.Type
    static func service(_ form: Form) -> any Service.Type
    static func handle(_ form: Form, named name: DependencyName?, in container: DependencyContainer) -> any Handle
}

final class Node<T: Tag>: Instance, @unchecked Sendable, NodeType {
    static func make(_ contents: Contents) -> Node<T> { Node(contents) }
    var instances: [Instance] { [self] }

    static func parameter(_ form: Form) -> any Parameter.Type {
        switch form {
        case .node: Node.self
        case .optional: Node?.self
        case .list: [Node].self
        case .lazy: LazyDependency<Node>.self
        case .provider: DependencyProvider<Node>.self
        }
    }

    static func service(_ form: Form) -> any Service.Type {
        switch form {
        case .optional: Node?.self
        case .list: [Node].self
        default: Node.self
        }
    }

    static func handle(_ form: Form, named name: DependencyName?, in container: DependencyContainer) -> any Handle {
        form == .lazy
            ? LazyDependency<Node>(named: name, container: container) : container.provider(Node.self, named: name)
    }
}

extension Optional: Parameter where Wrapped: NodeType {
    func add(to contents: inout Contents) {
        if let self { self.add(to: &contents) } else { contents.combine(2) }
    }
}

extension Optional: Service where Wrapped: NodeType {
    static func make(_ contents: Contents) -> Self { Wrapped.make(contents) }
    var instances: [Instance] { self?.instances ?? [] }
}

extension Array: Parameter where Element: NodeType {
    func add(to contents: inout Contents) {
        contents.combine(count)
        for element in self { element.add(to: &contents) }
    }
}

extension Array: Service where Element: NodeType {
    static func make(_ contents: Contents) -> Self { [Element.make(contents)] }
    var instances: [Instance] { self }
}

extension LazyDependency: Parameter where T: NodeType {
    func add(to contents: inout Contents) { contents.add(self) }
}

extension DependencyProvider: Parameter where T: NodeType {
    func add(to contents: inout Contents) { contents.add(self) }
}

// MARK: - Handles

/// A lazy dependency or a provider.
protocol Handle: Sendable {
    func instance() throws(DependencyError) -> Instance
    func suspendingInstance() async throws -> Instance
    /// The instance that the handle has kept since an earlier use; nil if it keeps none.
    var kept: Instance? { get }
    /// Releases that instance.
    func clear()
}

extension LazyDependency: Handle where T: NodeType {
    func instance() throws(DependencyError) -> Instance { try require() }
    func suspendingInstance() async throws -> Instance { try await asyncResolve() }
    var kept: Instance? { object }
    func clear() { dispose() }
}

extension DependencyProvider: Handle where T: NodeType {
    func instance() throws(DependencyError) -> Instance { try require() }
    func suspendingInstance() async throws -> Instance { try await asyncResolve() }
    var kept: Instance? { nil }
    func clear() {}
}

/// A handle of an instance, and whether it was used before.
// Unchecked for the same reason as `Instance`.
final class HandleUse: @unchecked Sendable {
    private let handle: any Handle
    private var wasUsed = false

    init(_ handle: any Handle) {
        self.handle = handle
    }

    /// The instance that the handle keeps. It reads the handle only if it was filled before, because a read resolves otherwise.
    var kept: Instance? { wasUsed ? handle.kept : nil }

    func clear() {
        wasUsed = false
        handle.clear()
    }

    func use() throws(DependencyError) -> Instance {
        if let kept { return kept }
        let instance = try handle.instance()
        wasUsed = true
        return instance
    }

    func useSuspending() async throws -> Instance {
        if let kept { return kept }
        let instance = try await handle.suspendingInstance()
        wasUsed = true
        return instance
    }
}
