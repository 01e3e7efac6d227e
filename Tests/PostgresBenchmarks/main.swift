import Foundation
import PaymentCore
import PaymentPostgres
import PaymentRouting
import PaymentStore
import PostgresServing
import SimulatedShop

// Measures payments and recovery over a PostgreSQL server of this machine, beside SQLite:
//
//     PostgresBenchmarks [ATTEMPTS]
//
// ATTEMPTS is the largest number of ended attempts in the tables, a million unless it is stated; a tenth as many are
// open. The workers are routers of one process, each with four payments at a time at a simulated shop in that process:
// all of them and the server share the machine's cores. Compare figures within one run.

let most = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 1_000_000
guard PostgresServer.isThere else { throw Payments.Failure.noServer(PostgresServer.need) }

// MARK: Workers

let server = try PostgresServer(options: [
    "max_connections = 120", "max_wal_size = '4GB'", "shared_buffers = '512MB'", "maintenance_work_mem = '256MB'",
])
@MainActor func journal(_ schema: String) async throws -> PostgresJournal {
    PostgresJournal(try await PostgresStore(server.configuration(schema)))
}

for count in [1, 2, 4, 8] {
    var journals: [any PaymentJournal] = []
    for _ in 0..<count { journals.append(try await journal("workers")) }
    _ = try await Payments.pay("warm\(count)", journals, each: 8)
    Payments.say("PostgreSQL, \(count) workers: \(try await Payments.pay("workers\(count)", journals))")
}
let folder = NSTemporaryDirectory() + "/payroute-bench-\(UUID().uuidString)"
try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(atPath: folder) }
for count in [1, 2, 4, 8] {
    let journals = try (0..<count).map { _ in try SQLiteJournal(path: folder + "/journal") }
    _ = try await Payments.pay("warmfile\(count)", journals, each: 8)
    Payments.say("SQLite, \(count) workers: \(try await Payments.pay("file\(count)", journals))")
}

// MARK: Large tables

let schema = "large"
let large = try await journal(schema)
_ = try await Payments.pay("first", [large], each: 1)
try await Payments.leaveOpen("left", large)
var held = 0
for count in [10_000, 100_000, 1_000_000] where count <= most {
    let filling = try await Payments.seconds { try server.fill(schema, from: held, to: count) }
    held = count
    _ = try await Payments.pay("warmlarge\(count)", [large], each: 40)
    let rate = try await Payments.pay("large\(count)", [large])
    Payments.say(
        "\(count) ended attempts, \(count / 10) open (filled in \(Payments.text(filling)) s): one worker, \(rate)")
}
for table in ["attempt", "entry", "due", "lease"] {
    let size = "pg_size_pretty(pg_table_size(c)) || ', indexes ' || pg_size_pretty(pg_indexes_size(c))"
    let rows = try await server.rows(sql: "SELECT \(size) FROM (SELECT '\(schema).\(table)'::regclass c) t")
    Payments.say("table \(table): \(rows.first ?? "")")
}
let all = try await server.rows(sql: "SELECT pg_size_pretty(pg_database_size('postgres'))")
Payments.say("database: \(all.first ?? "")")

// MARK: Recovery

var open = 0
let reading = try await Payments.seconds { open = try await large.unfinished().count }
Payments.say("\(open) open attempts read at once, as a RecoveryService does at each look: \(Payments.text(reading)) s")

// All are due. The first ones are looked at.
let some = PostgresServer.openPayments(min(held / 10, 5000))
for id in some { await Payments.shop.createPayment(id, .paidAtOnce, cents: 1000) }
let settled = Settled()
var workers: [Task<Void, Never>] = []
let recovering = try await Payments.seconds {
    for _ in 0..<4 {
        let journal = try await journal(schema)
        let router = try Payments.router(journal)
        let worker = PostgresWorker(router, journal, as: Payments.payer) { await settled.add($0) }
        workers.append(Task { await worker.run() })
    }
    await settled.wait(for: some.count)
}
for worker in workers { worker.cancel() }
for worker in workers { await worker.value }
let first = await settled.first ?? .zero
Payments.say(
    "\(some.count) of \(open) open attempts settled by four workers in \(Payments.text(recovering)) s, "
        + "\(Int(Double(some.count) / recovering)) per second; the first one after \(Payments.text(first / .seconds(1))) s"
)
