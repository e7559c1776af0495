import GRPCCore
import GRPCNIOTransportHTTP2Posix

/// The client's half of `grpc.health.v1`, written byte by byte, so that it does not share the server's idea of the format.
extension TestServer {
    /// The statuses of the protocol, with their numbers.
    enum ServingStatus: UInt8 {
        case unknown, serving, notServing, serviceUnknown
    }

    /// Returns the answer of `Check`.
    func check(_ service: String) async throws -> ServingStatus {
        try await client.unary(
            request: ClientRequest(message: service), descriptor: health("Check"), serializer: RequestCodec(),
            deserializer: ResponseCodec(), options: .defaults
        ) { try $0.message }
    }

    /// Opens a `Watch` and reads its messages.
    func watch<Output: Sendable>(
        _ service: String,
        receive: @escaping @Sendable (RPCAsyncSequence<ServingStatus, any Error>) async throws -> Output
    ) async throws -> Output {
        try await client.serverStreaming(
            request: ClientRequest(message: service), descriptor: health("Watch"), serializer: RequestCodec(),
            deserializer: ResponseCodec(), options: .defaults
        ) { try await receive($0.messages) }
    }

    private func health(_ method: String) -> MethodDescriptor {
        MethodDescriptor(fullyQualifiedService: "grpc.health.v1.Health", method: method)
    }
}

/// Field 1 of a request is the name.
private struct RequestCodec: MessageSerializer {
    func serialize<Bytes: GRPCContiguousBytes>(_ message: String) throws -> Bytes {
        guard !message.isEmpty else { return Bytes([]) }
        var (length, rest): ([UInt8], Int) = ([], message.utf8.count)
        while rest > 0x7f {
            length.append(UInt8(rest & 0x7f) | 0x80)
            rest >>= 7
        }
        return Bytes([0x0a] + length + [UInt8(rest)] + message.utf8)
    }
}

/// Field 1 of a response is the status.
private struct ResponseCodec: MessageDeserializer {
    func deserialize<Bytes: GRPCContiguousBytes>(_ bytes: Bytes) throws -> TestServer.ServingStatus {
        let bytes = bytes.withUnsafeBytes { Array($0) }
        if bytes.isEmpty { return .unknown }
        if bytes.count == 2, bytes[0] == 0x08, let status = TestServer.ServingStatus(rawValue: bytes[1]) {
            return status
        }
        throw RPCError(code: .dataLoss, message: "\(bytes) is no response of the health service.")
    }
}
