#if Hummingbird
    import Hopoate
    import HopoateServer

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// The body of a response with the health of a container.
    @available(macOS 14, *)
    struct HealthBody: Encodable {
        struct Check: Encodable {
            let service: String
            let name: String?
            let kind: String
            let status: String
            let error: String?
        }

        private enum CodingKeys: CodingKey {
            case status, checks
        }

        let isGood: Bool
        let status: String
        let checks: [Check]

        init(_ health: DependencyHealth, of probe: DependencyHealth.Probe, showsErrors: Bool) {
            isGood = probe == .readiness ? health.isReady : health.isAlive
            status =
                health.isShutDown ? "shuttingDown" : health.isDraining ? "draining" : isGood ? "healthy" : "unhealthy"
            checks = health.results.map { Check($0, showsErrors: showsErrors) }
        }

        /// JSON in one line, always in the same order.
        func encoded() throws -> [UInt8] {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return try encoder.encode(self) + [UInt8(ascii: "\n")]
        }
    }

    @available(macOS 14, *)
    extension HealthBody.Check {
        fileprivate init(_ result: DependencyHealth.Result, showsErrors: Bool) {
            service = typeLabel(result.service)
            name = result.name?.text
            kind = result.probe.word
            (status, error) =
                switch result.status {
                case .healthy: ("healthy", nil)
                case .unhealthy(let error): ("unhealthy", showsErrors ? "\(error)" : nil)
                case .timedOut: ("timedOut", nil)
                case .notCreated: ("notCreated", nil)
                case .failed(let error): ("failed", showsErrors ? "\(error)" : nil)
                }
        }
    }

    extension DependencyHealth.Probe {
        var word: String { self == .readiness ? "readiness" : "liveness" }
    }
#endif
