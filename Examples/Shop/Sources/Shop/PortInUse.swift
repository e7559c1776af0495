import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Another process listens on the port of the shop.
package struct PortInUse: Error, CustomStringConvertible {
    let address: Settings.Address

    /// Returns nil for any other error.
    init?(_ error: any Error, _ address: Settings.Address) {
        guard let error = error as? IOError, error.errnoCode == EADDRINUSE else { return nil }
        self.address = address
    }

    package var description: String {
        let other = address.port < 65_535 ? address.port + 1 : 8_080
        return "Port \(address.port) of \(address.host) is in use. Set PORT to another port, for example PORT=\(other)."
    }
}
