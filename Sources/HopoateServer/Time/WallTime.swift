#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The time of day, in seconds since 1970.
func secondsSince1970() -> Int { Int(time(nil)) }
