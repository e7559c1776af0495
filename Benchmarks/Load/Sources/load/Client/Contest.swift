import AsyncHTTPClient
import NIOCore

/// Sends requests to the servers in turn. The slices are short, so that noise of the machine affects all servers alike.
///
/// Two processes of the same program differ by a percent or two, because their code and memory lie at other addresses. So the
/// servers are started anew after each *heat*.
struct Contest {
    /// The tallies of one set of processes.
    typealias Heat = [WiringKind: Tally]

    /// The upper limit for a slice, however fast the machine.
    private static let mostRequests = 1_000_000
    /// Every order of three servers, so that no server is always first or always follows the same one.
    private static let orders = [[0, 1, 2], [2, 1, 0], [1, 2, 0], [0, 2, 1], [2, 0, 1], [1, 0, 2]]

    let workload: Workload
    private(set) var heats: [Heat] = []
    /// The usage at the end of the last heat.
    private(set) var usage: [WiringKind: Usage] = [:]

    /// The number of slices for each server in a heat.
    static var slices: Int { orders.count }

    init(_ workload: Workload) {
        self.workload = workload
    }

    mutating func run() async throws {
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = workload.connections
        configuration.connectionPool.idleTimeout = .hours(1)
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        do {
            for _ in 0..<workload.heats { try await runHeat(client) }
        } catch {
            try? await client.shutdown()
            throw error
        }
        try await client.shutdown()
    }

    private mutating func runHeat(_ client: HTTPClient) async throws {
        var servers: [(process: ServerProcess, customers: [Customer])] = []
        defer { for (process, _) in servers { process.stop() } }
        for kind in WiringKind.allCases {
            let process = try ServerProcess(kind)
            servers.append((process, []))
            for _ in 0..<workload.connections {
                servers[servers.count - 1].customers.append(try await Customer(port: process.port, client: client))
            }
        }
        for (process, customers) in servers { _ = try await slice(process, customers, .seconds(workload.warmUp)) }
        var heat: Heat = [:]
        for order in Self.orders {
            for (process, customers) in order.map({ servers[$0] }) {
                let tally = try await slice(process, customers, .milliseconds(workload.slice))
                heat[process.kind, default: Tally()].add(tally)
            }
        }
        heats.append(heat)
        for (process, _) in servers { usage[process.kind] = try process.usage() }
    }

    private func slice(_ process: ServerProcess, _ customers: [Customer], _ length: Duration) async throws -> Tally {
        let before = try process.usage()
        let begun = ContinuousClock.now
        let end = begun + length
        var tally = await withTaskGroup(of: Tally.self) { group in
            for customer in customers {
                group.addTask {
                    await customer.ask(until: end, atMost: Self.mostRequests / customers.count, workload)
                }
            }
            return await group.reduce(into: Tally()) { $0.add($1) }
        }
        tally.elapsed = ContinuousClock.now - begun
        tally.processorTime = try process.usage().processorTime - before.processorTime
        return tally
    }
}
