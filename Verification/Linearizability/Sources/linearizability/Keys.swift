// Types to register under, made from two lists of letters: enough that a table which holds some of them grows when
// others come.

import Hopoate

enum A0 {}
enum A1 {}
enum A2 {}
enum A3 {}
enum A4 {}
enum A5 {}
enum A6 {}
enum B0 {}
enum B1 {}
enum B2 {}
enum B3 {}
enum B4 {}
enum B5 {}

enum Keys {
    /// The calls, by type. Unsafe, because it is a pointer; sound, because what it points to is never written again.
    /// Not an array, so that threads which call do not count references to one.
    nonisolated(unsafe) static let all: UnsafeBufferPointer<Access> = {
        let rows =
            row(A0.self) + row(A1.self) + row(A2.self) + row(A3.self) + row(A4.self) + row(A5.self) + row(A6.self)
        let all = UnsafeMutableBufferPointer<Access>.allocate(capacity: rows.count)
        _ = all.initialize(fromContentsOf: rows)
        return UnsafeBufferPointer(all)
    }()

    /// Where each type has a fallback. Never changed afterwards, so what its children answer changes with the children
    /// only.
    static let parent = {
        let parent = DependencyContainer()
        for access in all { access.registerFallback(parent) }
        return parent
    }()

    @inline(__always)
    private static func row<Letter>(_: Letter.Type) -> [Access] {
        [
            Access((Letter, B0).self), Access((Letter, B1).self), Access((Letter, B2).self), Access((Letter, B3).self),
            Access((Letter, B4).self), Access((Letter, B5).self),
        ]
    }
}
