#if canImport(Glibc)
    import Foundation
    import PaymentCore
    import PaymentLoopback
    import PaymentPostgres
    import PaymentRouting
    import PaymentTesting
    import PostgresServing
    import SimulatedShop
    import TestSupport
    import Testing

    /// Machines in network namespaces whose cables to the database are pulled out. Between the machines there is no way
    /// at all; the shop is reached by both, all the time: what a machine that is cut off pays, another one takes over.
    /// A tenth of `PAYROUTE_POSTGRES_KILLS` is the number of interruptions.
    @Suite(
        "Machines that are cut off from their database",
        .enabled(if: PostgresServer.isLong, Comment(rawValue: PostgresServer.long)),
        .enabled(if: NetworkNamespace.isAllowed, Comment(rawValue: NetworkNamespace.need)))
    struct PartitionTests {
        private static let rounds = max((PostgresServer.kills ?? 0) / 10, 4)

        /// A machine that pays and works.
        private final class Machine: Sendable {
            let namespace: NetworkNamespace
            private let shop: LoopbackServer
            private let program: Program
            private let lines = Collected<String>()
            private let reading: Task<Void, Never>

            init(_ site: WorkSite, _ namespace: NetworkNamespace, links: [String]) async throws {
                self.namespace = namespace
                let service = site.shop
                shop = try await namespace.inside { try LoopbackServer(service) }
                let server = site.server
                let database =
                    "postgresql://payer@\(namespace.address):\(server.port ?? 0)/postgres"
                    + "?sslrootcert=\(server.authorities)&password="
                    + PostgresServer.password.replacingOccurrences(of: " ", with: "%20")
                let process = try #require(Program.url("WorkingProcess"))
                program = try Program(
                    ["netns", "exec", namespace.name, process.path, database, shop.baseURL.text, "1000"],
                    input: Array(links.map { $0 + "\n" }.joined().utf8),
                    executable: URL(fileURLWithPath: NetworkNamespace.program ?? ""))
                reading = Task { [program, lines] in for await line in program.lines { lines.add(line) } }
            }

            func has(_ line: String) -> Bool { lines.all.contains(line) }

            /// Stops it.
            ///
            /// - Returns: its last line, and its code.
            func end() async -> (String?, Int32) {
                program.signal(SIGTERM)
                await reading.value
                return (lines.all.last, await program.end().code)
            }
        }

        @Test("Each payment of two machines with partitions is made once at most, and none is lost")
        func partitions() async throws {
            let namespaces = try (0..<2).map { try NetworkNamespace(number: $0) }
            let server = try PostgresServer(network: .routed(addresses: namespaces.map(\.address)))
            let site = WorkSite(server, schema: "payments")
            let ids = (0..<Self.rounds * 20).map { "p\($0)" }
            for id in ids { await site.shop.createPayment(id, .paidAtOnce, cents: 1000) }
            // Both pay the same links, from either end.
            let orders = [ids, ids.reversed()]
            var machines: [Machine] = []
            for (namespace, order) in zip(namespaces, orders) {
                machines.append(try await Machine(site, namespace, links: order.map { WorkSite.link($0) }))
            }
            for machine in machines { try await eventually { machine.has("works") } }
            let broken = try await site.brokenMachine()
            var left: [String] = []
            let random = SeededRandomSource(seed: 43)
            for round in 0..<Self.rounds {
                let some = (0..<4).map { "r\(round)x\($0)" }
                try await site.leaveOpen(some, by: broken)
                left += some
                // One of them, the other, or both, for less or more than a lease.
                let cut = [[0], [1], [0, 1]][Int(random.next() % 3)]
                for number in cut { try namespaces[number].setCable(isConnected: false) }
                try await Task.sleep(for: .milliseconds(200 + Int(random.next() % 3000)))
                for number in cut { try namespaces[number].setCable(isConnected: true) }
                try await Task.sleep(for: .milliseconds(Int(random.next() % 500)))
            }
            for machine in machines { try await eventually(within: .seconds(300)) { machine.has("all read") } }
            try await eventually(within: .seconds(120)) { try await broken.journal.unfinished().isEmpty }
            for machine in machines {
                let (line, code) = await machine.end()
                #expect(line == "drained" && code == 0)
            }
            var paid = 0
            for id in ids + left {
                let charges = await site.shop.captures(of: id)
                let histories = try await broken.journal.histories(of: WorkSite.payment(id))
                #expect(charges <= 1, "\(id) was charged \(charges) times")
                #expect(histories.filter { $0.state == .paid }.count == charges, "\(id): \(histories.map(\.state))")
                #expect(histories.allSatisfy { $0.isFinished }, "\(id) is left open")
                paid += charges
            }
            for id in left { #expect(await site.shop.captures(of: id) == 1, "\(id) was left open, and is paid") }
            print("\(Self.rounds) partitions: \(paid) of \(ids.count + left.count) paid once, none twice, none lost")
        }
    }
#endif
