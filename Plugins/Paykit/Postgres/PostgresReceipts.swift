import PaykitKit
public import PaykitProvider
import PaymentCore
public import PaymentPostgres
public import PaymentRouting
import PaymentStore

/// Receipts of private payments in a PostgreSQL database, shared by the workers of several machines.
///
/// A method's changes are on the server's disk when it returns. It holds payees, amounts and proofs; nothing that moves
/// money.
public struct PostgresReceipts: ReceiptStore {
    private let store: PostgresStore
    private let tables: Tables
    private let random: any RandomSource = SystemRandomSource()
    private var receipts: String { "\(store.schema).receipt" }
    private var arrivals: String { "\(store.schema).arrival" }

    /// Creates a store of receipts, and its tables where they are missing.
    ///
    /// - Throws: ``/PaymentRouting/JournalError``.
    public init(_ store: PostgresStore) async throws(JournalError) {
        self.store = store
        tables = Tables(store.schema)
        try await store.migrate(.paykit)
    }

    /// Keeps a receipt, unless there is one of its id.
    ///
    /// - Returns: the receipt that is now stored.
    /// - Throws: ``/PaymentRouting/JournalError``.
    public func keep(_ receipt: ChannelReceipt) async throws -> ChannelReceipt {
        let new = tables.insert(
            StoredReceiptRow.Column.self, StoredReceiptRow.values(receipt),
            and: ["id": Self.key(receipt.id), "write": .text(random.hex(32))])
        let looks = [Statement(new.text + " ON CONFLICT (id) DO NOTHING", new.values), finding(receipt.id)]
        return try await store.transaction(looks) { [path = store.path] rows in
            let stored = try rows[1].of(StoredReceiptRow.Column.self, path).first.map(StoredReceiptRow.receipt)
            return .write([], stored ?? receipt)
        }
    }

    /// Advances a receipt to a later stage.
    ///
    /// - Returns: true if it was at one of `stages` and was changed.
    /// - Throws: ``/PaymentRouting/JournalError``.
    public func advance(_ receipt: ChannelReceipt, from stages: Set<ChannelReceipt.Stage>) async throws -> Bool {
        let write = random.hex(32)
        let id = Self.key(receipt.id)
        let change = Statement(
            "UPDATE \(receipts) SET stage = $2, metadata = $3, proof = $4, write = $5 WHERE id = $1",
            [id] + [.stage, .metadata, .proof].map { StoredReceiptRow.value($0, of: receipt) } + [.text(write)])
        let looks = [
            Statement("SELECT write FROM \(receipts) WHERE id = $1 FOR UPDATE", [id]), finding(receipt.id),
        ]
        return try await store.transaction(looks) { [path = store.path] rows in
            if let known = rows[0].cells.first, known.text(0) == write { return .nothing(true) }
            let known = try rows[1].of(StoredReceiptRow.Column.self, path).first.map(StoredReceiptRow.receipt)
            guard let known, stages.contains(known.stage) else { return .nothing(false) }
            return .write([change], true)
        }
    }

    /// Returns the receipt of an id; nil when there is none.
    ///
    /// - Throws: ``/PaymentRouting/JournalError``.
    public func receipt(_ id: ChannelReceipt.ID) async throws -> ChannelReceipt? { try await read(finding(id)).first }

    /// Returns receipts, the latest kept first.
    ///
    /// - Throws: ``/PaymentRouting/JournalError``.
    public func receipts(before earlier: ChannelReceipt.ID?, limit: Int) async throws -> [ChannelReceipt] {
        let columns = StoredReceiptRow.Column.list
        guard let earlier else {
            return try await read(
                Statement(
                    "SELECT \(columns) FROM \(receipts) ORDER BY number DESC LIMIT $1", [.integer(Int64(max(0, limit)))]
                ))
        }
        return try await read(
            Statement(
                """
                SELECT \(columns) FROM \(receipts) WHERE number < (SELECT number FROM \(receipts) WHERE id = $1)
                ORDER BY number DESC LIMIT $2
                """, [Self.key(earlier), .integer(Int64(max(0, limit)))]))
    }

    /// Records an arrival.
    ///
    /// - Returns: true if it was not recorded before.
    /// - Throws: ``/PaymentRouting/JournalError``.
    public func note(_ arrival: ChannelArrival) async throws -> Bool {
        let write = random.hex(32)
        let looks = [
            Statement(
                "INSERT INTO \(arrivals) (id, write) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING",
                [Self.key(arrival), .text(write)]),
            Statement("SELECT write FROM \(arrivals) WHERE id = $1", [Self.key(arrival)]),
        ]
        return try await store.transaction(looks) { rows in .write([], rows[1].cells.first?.text(0) == write) }
    }

    /// Returns true if an arrival was recorded.
    ///
    /// - Throws: ``/PaymentRouting/JournalError``.
    public func isNoted(_ arrival: ChannelArrival) async throws -> Bool {
        !(try await store.rows(Statement("SELECT 1 FROM \(arrivals) WHERE id = $1", [Self.key(arrival)])).isEmpty)
    }

    private static func key(_ id: ChannelReceipt.ID) -> Database.Value { .key([id.payer, id.payee, id.name]) }

    private static func key(_ arrival: ChannelArrival) -> Database.Value {
        .key([arrival.kind, arrival.sender, arrival.name])
    }

    private func finding(_ id: ChannelReceipt.ID) -> Statement {
        Statement("SELECT \(StoredReceiptRow.Column.list) FROM \(receipts) WHERE id = $1", [Self.key(id)])
    }

    private func read(_ statement: Statement) async throws(JournalError) -> [ChannelReceipt] {
        var found: [ChannelReceipt] = []
        for row in try await store.rows(statement).of(StoredReceiptRow.Column.self, store.path) {
            found.append(try StoredReceiptRow.receipt(row))
        }
        return found
    }
}
