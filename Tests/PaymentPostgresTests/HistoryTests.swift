import Foundation
import PaymentCore
import PaymentPostgres
import PaymentRouting
import PaymentSimulation
import PaymentTesting
import PostgresServing
import SimulatedShop
import Synchronization
import Testing

/// The simulator's histories with journals in PostgreSQL. `PAYROUTE_POSTGRES_HISTORIES` is their number.
///
/// All that a process stores is on the server at once, and its reads come from there. A process that dies leaves its
/// store closed and its leases as they are; the power of its machine may fail, but not the server's. The oracle is the
/// simulator's.
@Suite(
    "The simulator's histories over PostgreSQL",
    .enabled(if: PostgresServer.isThere, Comment(rawValue: PostgresServer.need)))
struct HistoryTests {
    private static let count =
        ProcessInfo.processInfo.environment["PAYROUTE_POSTGRES_HISTORIES"].flatMap { Int($0) } ?? 4

    @Test("No payment is lost or made twice, and all that is stated is true")
    func histories() async throws {
        let server = try PostgresServer()
        let verdicts = try await played(server)
        for (seed, verdict) in verdicts.enumerated() {
            #expect(verdict.breaches.isEmpty, "SEED=\(seed)")
        }
        let sums = verdicts.reduce(into: (payments: 0, captures: 0, processes: 0)) {
            $0.payments += $1.payments
            $0.captures += $1.captures
            $0.processes += $1.processes
        }
        #expect(sums.captures > 0)
        print(
            "\(verdicts.count) histories over PostgreSQL: \(sums.payments) payments, \(sums.captures) captures, "
                + "\(sums.processes) processes")
    }

    private static func verdict(_ seed: UInt64, _ server: PostgresServer) throws -> Verdict {
        let stores = Stores(server, seed)
        var variation = Variation([
            MarketMaker.keyed(share: 2), .shop(share: 4, ShopHabits(wallet: ShopHabits.walletAct)),
        ])
        variation.server = { stores.journal(of: $0) }
        // A server is not restored from a backup while its payments go on.
        variation.restores = 0
        var verdict = History(seed: seed, variation: variation).run(isTraced: false)
        verdict.breaches += try stores.close()
        return verdict
    }

    /// Plays the histories on separate threads, which they block while they wait for the server.
    private func played(_ server: PostgresServer) async throws -> [Verdict] {
        try await withCheckedThrowingContinuation { continuation in
            Thread {
                let verdicts = Mutex<[Int: Result<Verdict, any Error>]>([:])
                DispatchQueue.concurrentPerform(iterations: Self.count) { seed in
                    let verdict = Result { try Self.verdict(UInt64(seed), server) }
                    verdicts.withLock { $0[seed] = verdict }
                }
                let all = verdicts.withLock { $0 }.sorted { $0.key < $1.key }
                continuation.resume(with: Result { try all.map { try $0.value.get() } })
            }.start()
        }
    }
}

/// The stores of one history's processes: a schema for each machine.
private final class Stores: Sendable {
    private struct State {
        var machines: [(disk: SimulatedDisk, schema: String)] = []
        var stores: [Int: (process: SimulatedProcess, store: PostgresStore)] = [:]
    }

    private let server: PostgresServer
    private let name: String
    private let state = Mutex(State())

    init(_ server: PostgresServer, _ seed: UInt64) {
        self.server = server
        name = "history_\(seed)_"
    }

    /// Returns the journal of a process. The stores of dead processes are closed.
    func journal(of process: SimulatedProcess) -> any PaymentJournal & SpendingStore {
        let (schema, known, dead) = state.withLock { state in
            let known = state.machines.first { $0.disk === process.disk }?.schema
            let schema = known ?? name + "\(state.machines.count)"
            if known == nil { state.machines.append((process.disk, schema)) }
            let dead = state.stores.filter { $0.value.process.isDead }
            for number in dead.keys { state.stores[number] = nil }
            return (schema, state.stores[process.number]?.store, dead.values.map(\.store))
        }
        for store in dead { store.close() }
        do {
            let store =
                try known
                ?? Standing.still { [server] in
                    try await PostgresStore(server.configuration(schema), clock: .simulated(process.world.clock))
                }
            state.withLock { $0.stores[process.number] = (process, store) }
            return Standing(PostgresJournal(store))
        } catch {
            fatalError("the server cannot be used: \(error)")
        }
    }

    /// Closes all stores and removes their tables.
    ///
    /// - Returns: the machines whose server does not have what the oracle saw.
    func close() throws -> [String] {
        let (stores, machines) = state.withLock { ($0.stores.values.map(\.store), $0.machines) }
        for store in stores { store.close() }
        var breaches: [String] = []
        for (disk, schema) in machines {
            let stored = try Standing.still { [server] in
                let store = try await PostgresStore(server.configuration(schema))
                defer { store.close() }
                return try await PostgresJournal(store).attempts(AttemptQuery(limit: 1000)).histories
            }
            let (ids, seen) = (stored.map(\.attempt.id.rawValue), disk.histories)
            if Set(stored) != Set(seen) { breaches.append("\(schema) holds \(ids), not what was stored") }
            try server.run(sql: "DROP SCHEMA \(schema) CASCADE")
        }
        return breaches
    }
}

/// A journal whose calls block their thread until the server has answered: the simulated world stands still meanwhile.
private struct Standing: PaymentJournal, SpendingStore {
    private let base: PostgresJournal

    init(_ base: PostgresJournal) { self.base = base }

    static func still<Value: Sendable>(_ call: @escaping @Sendable () async throws -> Value) throws -> Value {
        let answer = Answer<Value>()
        Task.detached {
            do { answer.set(.success(try await call())) } catch { answer.set(.failure(error)) }
        }
        return try answer.wait()
    }

    private final class Answer<Value: Sendable>: Sendable {
        private let result = Mutex<Result<Value, any Error>?>(nil)
        private let isThere = DispatchSemaphore(value: 0)

        func set(_ result: Result<Value, any Error>) {
            self.result.withLock { $0 = result }
            isThere.signal()
        }

        func wait() throws -> Value {
            isThere.wait()
            return try #require(result.withLock { $0 }).get()
        }
    }

    func acquire(_ lease: PaymentLease, at now: Date) async throws -> Bool {
        try Self.still { [base] in try await base.acquire(lease, at: now) }
    }
    func renew(_ lease: PaymentLease, at now: Date) async throws {
        try Self.still { [base] in try await base.renew(lease, at: now) }
    }
    func release(_ lease: PaymentLease) async throws { try Self.still { [base] in try await base.release(lease) } }
    func open(_ attempt: PaymentAttempt, under lease: PaymentLease) async throws {
        try Self.still { [base] in try await base.open(attempt, under: lease) }
    }
    func append(_ entry: JournalEntry, to attempt: AttemptID, under lease: PaymentLease) async throws {
        try Self.still { [base] in try await base.append(entry, to: attempt, under: lease) }
    }
    func history(of attempt: AttemptID) async throws -> AttemptHistory? {
        try Self.still { [base] in try await base.history(of: attempt) }
    }
    func histories(of payment: PaymentReference) async throws -> [AttemptHistory] {
        try Self.still { [base] in try await base.histories(of: payment) }
    }
    func refunds(relatedTo refund: PaymentReference) async throws -> [AttemptHistory] {
        try Self.still { [base] in try await base.refunds(relatedTo: refund) }
    }
    func unfinished() async throws -> [AttemptHistory] { try Self.still { [base] in try await base.unfinished() } }
    func reserve(
        _ spending: Spending, within limits: [SpendingLimit], counting worths: SpendingWorths?
    ) async throws -> SpendingVerdict {
        try Self.still { [base] in try await base.reserve(spending, within: limits, counting: worths) }
    }
    func commit(_ attempt: AttemptID) async throws { try Self.still { [base] in try await base.commit(attempt) } }
    func release(_ attempt: AttemptID) async throws { try Self.still { [base] in try await base.release(attempt) } }
    func spending(of attempt: AttemptID) async throws -> SpendingRecord? {
        try Self.still { [base] in try await base.spending(of: attempt) }
    }
    func reservedSpendings() async throws -> [SpendingRecord] {
        try Self.still { [base] in try await base.reservedSpendings() }
    }
    func spendings(since day: SpendingDay) async throws -> [SpendingRecord] {
        try Self.still { [base] in try await base.spendings(since: day) }
    }
}
