import GRPCCore
import Hopoate
import HopoateGRPC

/// `greeter.Greeter`: a unary method, and one that streams its response. The scope of the RPC lasts until the end of the stream.
struct GreeterService: RegistrableRPCService {
    static let name = ServiceDescriptor(fullyQualifiedService: "greeter.Greeter")
    static let greet = MethodDescriptor(service: name, method: "Greet", type: .unary)
    static let greetInAllLanguages = MethodDescriptor(
        service: name, method: "GreetInAllLanguages", type: .serverStreaming)

    func greet(_ request: ServerRequest<String>, _ context: ServerContext) async throws -> ServerResponse<String> {
        let visit = try await context.dependencies.asyncResolve(Visit.self)
        return ServerResponse(message: visit.greeting(for: request.message))
    }

    func greetInAllLanguages(
        _ request: ServerRequest<String>, _ context: ServerContext
    ) async throws -> StreamingServerResponse<String> {
        StreamingServerResponse { writer in
            let visit = try await context.dependencies.asyncResolve(Visit.self)
            for greeting in visit.greetings(for: request.message) { try await writer.write(greeting) }
            return [:]
        }
    }

    /// Registers both methods. If you generate your service from a `.proto` file, the generated code does this.
    func registerMethods<Transport: ServerTransport>(with router: inout RPCRouter<Transport>) {
        router.registerHandler(forMethod: Self.greet, deserializer: TextCodec(), serializer: TextCodec()) {
            StreamingServerResponse(single: try await greet(ServerRequest(stream: $0), $1))
        }
        router.registerHandler(forMethod: Self.greetInAllLanguages, deserializer: TextCodec(), serializer: TextCodec())
        {
            try await greetInAllLanguages(ServerRequest(stream: $0), $1)
        }
    }
}

/// Messages are UTF-8, so that the example needs no code generator.
struct TextCodec: MessageSerializer, MessageDeserializer {
    func serialize<Bytes: GRPCContiguousBytes>(_ message: String) throws -> Bytes { Bytes(message.utf8) }

    func deserialize<Bytes: GRPCContiguousBytes>(_ bytes: Bytes) throws -> String {
        bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }
}
