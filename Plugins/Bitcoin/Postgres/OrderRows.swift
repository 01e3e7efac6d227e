import BitcoinWallets
import Foundation
import PaymentCore
import PaymentPostgres
import PaymentRouting
import PaymentStore

/// Orders in a PostgreSQL database. The times of requests are the server's; a caller reads them by its own clock.
struct OrderRows: OrderStore {
    private typealias Column = StoredOrder.Column

    let store: PostgresStore
    let name: String
    /// The time for which a sender counts as alive.
    let lease: Duration
    /// The clock of this machine's senders.
    let clock: any PaymentClock
    private let random: any RandomSource = SystemRandomSource()
    private var table: String { "\(store.schema).wallet_order" }
    private var tables: Tables { Tables(store.schema) }

    init(store: PostgresStore, lease: Duration, clock: any PaymentClock) async throws {
        self.store = store
        let query = Statement("SELECT id FROM \(store.schema).wallet_memory", [])
        let id = try await store.transaction([query]) { rows in .write([], rows[0].cells.first.map { $0.text(0) }) }
        guard let id else { throw JournalError.damaged(path: store.path, detail: "the orders have no name") }
        name = "orders-" + id
        self.lease = lease
        self.clock = clock
    }

    // MARK: Reading

    func order(named name: String, at now: Date) async throws -> WalletOrder? {
        try await find(Self.isNamed, name, now)
    }

    func order(for id: String, at now: Date) async throws -> WalletOrder? { try await find(Self.isOpen, id, now) }

    private func find(_ condition: String, _ value: String, _ now: Date) async throws -> WalletOrder? {
        let looks = finding(condition, value, now)
        return try await store.transaction(looks) { [self] rows in .write([], try order(rows[1], now)?.order) }
    }

    private static let isNamed = "name = $1"
    private static let isOpen = "hash = $1 AND state <> 'refused'"

    /// Returns the statements that end the request of an order whose sender counts as alive no more, and read it.
    private func finding(_ condition: String, _ value: String, _ now: Date) -> [Statement] {
        let (values, time) = ([Database.Value.text(value), store.time(now)], PostgresStore.now(2))
        return [
            Statement(
                """
                UPDATE \(table) SET state = 'asked', asked = \(time), dealt = 0
                WHERE \(condition) AND state = 'sending' AND ends <= \(time)
                """, values),
            Statement("SELECT \(Column.list), \(time) - asked FROM \(table) WHERE \(condition)", values),
        ]
    }

    /// Returns an order and the number of the call that began it.
    private func order(_ rows: Rows, _ now: Date) throws -> (order: WalletOrder, owner: Int64)? {
        guard let row = rows.of(Column.self, store.path).first, let cells = rows.cells.first else { return nil }
        let elapsed = Int32(Column.allCases.count)
        let order = try StoredOrder.order(
            row, askedAt: cells.isNull(elapsed) ? nil : now.addingTimeInterval(-cells.real(elapsed)))
        return (order, row.integer(.owner))
    }

    func isRegistered(_ name: String) async throws -> Bool {
        let query = Statement("SELECT 1 FROM \(store.schema).wallet_registered WHERE name = $1", [.text(name)])
        return try await store.transaction([query]) { rows in .write([], !rows[0].isEmpty) }
    }

    func requested(for id: String) async throws -> WalletOrder? {
        let query = Statement(
            """
            SELECT \(Column.list), NULL::double precision FROM \(table)
            WHERE hash = $1 AND state = 'refused' AND asked IS NOT NULL ORDER BY number DESC LIMIT 1
            """, [.text(id)])
        return try await store.transaction([query]) { [self] rows in
            .write([], try order(rows[0], .distantPast)?.order)
        }
    }

    // MARK: Changing

    func register(_ name: String) async throws {
        let row = Statement(
            "INSERT INTO \(store.schema).wallet_registered (name) VALUES ($1) ON CONFLICT DO NOTHING", [.text(name)])
        try await store.transaction([row]) { _ in .write([], ()) }
    }

    func begin(_ order: WalletOrder, alone: Bool) async throws -> OrderClaim {
        // One of 2^52 calls: no other has begun this order.
        let (owner, now) = (Int64(random.next() >> 12), order.placedAt)
        let claim = OrderLease(lease, clock) { [self] in try await renew(order.name, owner) }
        let looks =
            [tables.locking(.other("wallet orders"))] + finding(Self.isNamed, order.name, now)
            + finding(Self.isOpen, order.payment?.id ?? "", now) + [counting(order.wallet ?? "", now)]
        let row = inserting(order, owner)
        let begun = OrderClaim.begun { send in await claim.keep(send) }
        return try await store.transaction(looks) { [self] rows in
            if let known = try self.order(rows[2], now) {
                // Stored by this call, whose answer was lost, and taken for dead by no other.
                let isOwn = known.owner == owner && known.order.state == .sending
                return .write([], isOwn ? begun : .known(known.order))
            }
            if let known = try self.order(rows[4], now) { return .write([], .known(known.order)) }
            if alone, !rows[5].isEmpty { return .write([], .busy) }
            return .write([row], begun)
        }
    }

    /// Returns the query for an order at a wallet whose request may still be carried out.
    private func counting(_ wallet: String, _ now: Date) -> Statement {
        let time = PostgresStore.now(2)
        return Statement(
            """
            SELECT 1 FROM \(table) WHERE wallet = $1 AND (state = 'sending' AND ends > \(time)
            OR state = 'asked' AND dealt = 0 AND asked > \(time) - \(OrderTurn.seconds)) LIMIT 1
            """, [.text(wallet), store.time(now)])
    }

    func refuse(_ order: WalletOrder) async throws -> WalletOrder {
        let looks = [tables.locking(.other("wallet orders"))] + finding(Self.isNamed, order.name, order.placedAt)
        let row = inserting(order, 0)
        return try await store.transaction(looks) { [self] rows in
            if let known = try self.order(rows[2], order.placedAt) { return .write([], known.order) }
            return .write([row], order)
        }
    }

    private func inserting(_ order: WalletOrder, _ owner: Int64) -> Statement {
        let values = StoredOrder.values(order, owner: owner)
        let ends = "\(PostgresStore.now(values.count + 1)) + \(lease / .seconds(1))"
        let row = tables.insert(Column.self, values, literally: ["ends": ends])
        return Statement(row.text, values + [store.time(order.placedAt)])
    }

    /// Lets the sender of an order count as alive from now on.
    ///
    /// - Returns: false where it does not any more.
    private func renew(_ name: String, _ owner: Int64) async throws -> Bool {
        let renewing = Statement(
            """
            UPDATE \(table) SET ends = \(PostgresStore.now(4)) + $3
            WHERE name = $1 AND owner = $2 AND state = 'sending' RETURNING 1
            """, [.text(name), .integer(owner), .real(lease / .seconds(1)), store.time(nil)])
        return try await store.transaction([renewing]) { rows in .write([], !rows[0].isEmpty) }
    }

    func endRequest(of name: String, isDealtWith: Bool, now: Date) async throws {
        try await write(
            "SET state = 'asked', asked = \(PostgresStore.now(3)), dealt = $2 WHERE name = $1 AND state = 'sending'",
            [.text(name), .integer(isDealtWith ? 1 : 0), store.time(now)])
    }

    func settle(_ name: String, _ proof: SettlementProof, fee: UInt64?) async throws {
        try await write(
            "SET state = 'paid', proof = $2, fee = $3 WHERE name = $1 AND \(StoredOrder.canBePaid(table))",
            [.text(name), .text(proof.stored), StoredOrder.value(fee: fee)])
    }

    func note(height: UInt64, for name: String) async throws {
        try await write(
            "SET height = $2 WHERE name = $1 AND state = 'asked' AND height IS NULL",
            [.text(name), .integer(Int64(clamping: height))])
    }

    func refuse(_ name: String, because reason: String) async throws {
        try await write(
            "SET state = 'refused', reason = $2 WHERE name = $1 AND state = 'asked'", [.text(name), .text(reason)])
    }

    /// Changes an order. Done twice it is the same, so that a lost answer does no harm.
    private func write(_ change: String, _ values: [Database.Value]) async throws {
        try await store.transaction([Statement("UPDATE \(table) \(change)", values)]) { _ in .write([], ()) }
    }
}
