import Foundation
import PaymentCore
import PaymentPostgres
import PaymentTesting
import PostgresServing
import Testing

@Suite(
    "Records in PostgreSQL", .enabled(if: PostgresServer.isThere, Comment(rawValue: PostgresServer.need)))
struct RecordTests {
    /// A store in a schema. The conformance plays hours in a moment: the callers' clock counts.
    private static func records(_ server: PostgresServer, _ schema: String) async throws -> PostgresRecords {
        try await PostgresRecords(try await PostgresStore(server.configuration(schema), clock: .caller))
    }

    @Test("The store keeps the contract, with a server that loses power")
    func conformance() async throws {
        let server = try PostgresServer()
        let report = await RecordConformance.check(
            RecordSubject("PostgresRecords") {
                let schema = PostgresServer.newSchema()
                return RecordSubject.Storage(
                    try await Self.records(server, schema), reopen: { try await Self.records(server, schema) },
                    losePower: {
                        server.stop()
                        try server.start()
                        return try await Self.records(server, schema)
                    })
            })
        #expect(report.isPassed && report.skipped.isEmpty, "\(report)")
    }

    @Test(
        "Three machines behind PgBouncer in transaction mode, which shares sessions among them",
        .enabled(if: PgBouncer.isThere, Comment(rawValue: PgBouncer.need)))
    func pooled() async throws {
        let pooler = try await PgBouncer(before: PostgresServer.shared())
        defer { pooler.stop() }
        let report = await RecordConformance.check(
            RecordSubject("pooled") {
                let schema = PostgresServer.newSchema()
                var stores: [PostgresRecords] = []
                for _ in 0..<3 {
                    stores.append(
                        try await PostgresRecords(
                            try await PostgresStore(pooler.configuration(schema), clock: .caller)))
                }
                return RecordSubject.Storage(
                    stores[0], reopen: { [stores] in stores[1] }, losePower: { [stores] in stores[2] })
            })
        #expect(report.isPassed && report.skipped.isEmpty, "\(report)")
    }

    /// The fate of a commit's way.
    enum Loss: CaseIterable {
        /// The commit arrives; its answer does not.
        case answer
        /// The commit does not arrive.
        case request
    }

    @Test("A change whose commit or answer is lost is made once, and has its own answer", arguments: Loss.allCases)
    func lostAnswers(loss: Loss) async throws {
        let server = try await PostgresServer.shared()
        let (proxy, configuration) = try server.proxied(timeout: .seconds(8))
        let store = try await PostgresRecords(try await PostgresStore(configuration))
        let key = RecordKey("count", room: "room", name: "name")
        for number in UInt8(1)...4 {
            let counter = Counter()
            proxy.decide { toServer, packet in
                guard toServer, packet.contains("COMMIT\u{0}"), counter.next() <= 1 else { return .passes }
                return loss == .answer ? .arrivesLast : .isLost
            }
            let answer = try await store.change([.record(key)]) { found in
                let next = (found[0].first?.value[0] ?? 0) + 1
                return RecordChange([.put(key, [next], marks: ["count": RecordMark(Int64(next))])], next)
            }
            proxy.decide { _, _ in .passes }
            #expect(answer == number)
            #expect(counter.count == (loss == .answer ? 1 : 2))
        }
        #expect(try await store.record(key)?.value == [4])
        // Each change has removed the name of the one before.
        #expect(try await server.rows(sql: "SELECT name FROM \(configuration.schema).change").count == 1)
    }

    @Test("Names of changes are removed, also after changes that write nothing or are refused")
    func knownNames() async throws {
        struct Refusal: Error {}
        let server = try await PostgresServer.shared()
        let schema = PostgresServer.newSchema()
        let (store, key) = (try await Self.records(server, schema), RecordKey("count"))
        for number in UInt8(0)..<3 {
            try await store.change([.record(key)]) { _ in RecordChange([.put(key, [number])], ()) }
            try await store.change([.record(key)]) { _ in RecordChange(()) }
            await #expect(throws: Refusal.self) {
                try await store.change([.record(key)]) { _ -> RecordChange<Void> in throw Refusal() }
            }
        }
        #expect(try await server.rows(sql: "SELECT name FROM \(schema).change").count == 1)
    }

    @Test("Names of changes that programs left a day ago are removed, later ones stay")
    func oldNames() async throws {
        let server = try await PostgresServer.shared()
        let schema = PostgresServer.newSchema()
        _ = try await Self.records(server, schema)
        let now = "extract(epoch FROM now()) - 978307200"
        try server.run(
            sql: "INSERT INTO \(schema).change VALUES ('old', \(now) - 90000), ('new', \(now) - 80000)")
        _ = try await Self.records(server, schema)
        #expect(try await server.rows(sql: "SELECT name FROM \(schema).change") == ["new"])
    }
}
