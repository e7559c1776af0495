// Types to register under, made from two lists of letters. There are enough of them to make a table grow during a round.

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
    /// The calls, by type. Unsafe, because it is a pointer. Sound, because its memory is never written again.
    /// Not an array, so that the threads do not contend on its reference count.
    nonisolated(unsafe) static let all: UnsafeBufferPointer<Access> = {
        let rows =
            row(A0.self) + row(A1.self) + row(A2.self) + row(A3.self) + row(A4.self) + row(A5.self) + row(A6.self)
        let all = UnsafeMutableBufferPointer<Access>.allocate(capacity: rows.count)
        _ = all.initialize(fromContentsOf: rows)
        return UnsafeBufferPointer(all)
    }()

    /// A parent container with a fallback for each type. It never changes, so the results of a child change only with the
    /// child.
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
