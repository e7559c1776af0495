import Hopoate

// Operations that are broken on purpose, to see that the gates notice.

extension Subjects {
    /// A resolve that makes an object on the side.
    static func allocating() -> Subject {
        Subject(.resolve) { iterations in
            var sum = 0
            for _ in 0..<iterations {
                consume(makeSensor(20))
                sum &+= resolve((any Sensor).self).reading()
            }
            return sum
        }
    }

    /// A resolve that takes a reference on the side, and gives it back.
    static func keeping(_ object: any AnyObject & Sendable) -> Subject {
        Subject(.resolve) { iterations in
            var sum = 0
            // The object outlives the loop, which captures it.
            let reference = Unmanaged<AnyObject>.passUnretained(object)
            for _ in 0..<iterations {
                _ = reference.retain()
                sum &+= resolve((any Sensor).self).reading()
                reference.release()
            }
            return sum
        }
    }
}
