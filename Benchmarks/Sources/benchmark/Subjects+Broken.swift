import Hopoate

// Operations that are broken on purpose. They verify that the gates detect it.

extension Subjects {
    /// A resolve with an additional allocation.
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

    /// A resolve with an additional retain and release.
    static func keeping(_ object: any AnyObject & Sendable) -> Subject {
        Subject(.resolve) { iterations in
            var sum = 0
            // Sound, because the loop captures the object.
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
