public import PaykitProvider
import PaymentCore
public import PaymentRouting
package import PaymentStore

/// Receipts of private payments in one SQLite file, shared safely by any number of tasks and processes of one machine.
///
/// A method's changes are on the disk when it returns. Errors are ``/PaymentRouting/JournalError``: the file is opened,
/// checked and refused as a journal's is, and is no journal. It holds payees, amounts and proofs; nothing that moves
/// money.
public actor SQLiteReceipts: ReceiptStore {
    private let queue = SerialQueue("payment-receipts")
    private let database: Database

    /// The queue that the store works on.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

    /// Creates a store by opening the file at `path` and checking its soundness.
    ///
    /// - Parameters:
    ///   - path: the location of the file; its folder has to exist.
    ///   - creating: true to create a file that does not exist.
    /// - Throws: ``/PaymentRouting/JournalError``; the file is as it was then.
    public init(path: String, creating: Bool = true) throws(JournalError) {
        try self.init(JournalFile(path: path, isMade: creating, schema: .receipts))
    }

    init(_ file: JournalFile, random: any RandomSource = SystemRandomSource()) throws(JournalError) {
        database = try file.open(random.hex(16))
        try database.execute("PRAGMA synchronous = FULL")
    }

    /// Keeps a receipt, unless there is one of its id.
    ///
    /// - Returns: the receipt that is now stored.
    /// - Throws: ``/PaymentRouting/JournalError``.
    public func keep(_ receipt: ChannelReceipt) throws -> ChannelReceipt {
        try database.transaction { () throws(JournalError) in
            if let known = try find(receipt.id) { return known }
            try database.insert(StoredReceiptRow.Column.self, StoredReceiptRow.values(receipt))
            return receipt
        }
    }

    /// Advances a receipt to a later stage.
    ///
    /// - Returns: true if it was at one of `stages` and was changed.
    /// - Throws: ``/PaymentRouting/JournalError``.
    public func advance(_ receipt: ChannelReceipt, from stages: Set<ChannelReceipt.Stage>) throws -> Bool {
        try database.transaction { () throws(JournalError) in
            guard let known = try find(receipt.id), stages.contains(known.stage) else { return false }
            try database.run(
                "UPDATE receipt SET stage = ?4, metadata = ?5, proof = ?6 WHERE \(StoredReceiptRow.isKey)",
                StoredReceiptRow.key(receipt.id)
                    + [.stage, .metadata, .proof].map { StoredReceiptRow.value($0, of: receipt) })
            return true
        }
    }

    /// Returns the receipt of an id; nil when there is none.
    ///
    /// - Throws: ``/PaymentRouting/JournalError``.
    public func receipt(_ id: ChannelReceipt.ID) throws -> ChannelReceipt? { try find(id) }

    /// Returns receipts, the latest kept first.
    ///
    /// - Throws: ``/PaymentRouting/JournalError``.
    public func receipts(before earlier: ChannelReceipt.ID?, limit: Int) throws -> [ChannelReceipt] {
        var bound = Int64.max
        if let earlier {
            bound =
                try database.number(
                    "SELECT number FROM receipt WHERE \(StoredReceiptRow.isKey)", StoredReceiptRow.key(earlier)) ?? 0
        }
        return try read(
            "WHERE number < ?1 ORDER BY number DESC LIMIT ?2", [.integer(bound), .integer(Int64(max(0, limit)))])
    }

    /// Records an arrival.
    ///
    /// - Returns: true if it was not recorded before.
    /// - Throws: ``/PaymentRouting/JournalError``.
    public func note(_ arrival: ChannelArrival) throws -> Bool {
        try database.transaction { () throws(JournalError) in
            try database.run(
                "INSERT OR IGNORE INTO arrival (kind, sender, name) VALUES (?1, ?2, ?3)", Self.key(arrival))
            return database.changes > 0
        }
    }

    /// Returns true if an arrival was recorded.
    ///
    /// - Throws: ``/PaymentRouting/JournalError``.
    public func isNoted(_ arrival: ChannelArrival) throws -> Bool {
        try database.number(
            "SELECT count(*) FROM arrival WHERE kind = ?1 AND sender = ?2 AND name = ?3", Self.key(arrival)) == 1
    }

    private static func key(_ arrival: ChannelArrival) -> [Database.Value] {
        [.text(arrival.kind), .text(arrival.sender), .text(arrival.name)]
    }

    private func find(_ id: ChannelReceipt.ID) throws(JournalError) -> ChannelReceipt? {
        try read("WHERE \(StoredReceiptRow.isKey)", StoredReceiptRow.key(id)).first
    }

    private func read(_ rest: String, _ values: [Database.Value]) throws(JournalError) -> [ChannelReceipt] {
        try database.all(StoredReceiptRow.Column.self, rest, values, StoredReceiptRow.receipt)
    }
}

/// A receipt of a payment over a private channel, as a row of the receipts file.
package enum StoredReceiptRow {
    package enum Column: String, StoredColumn {
        package static let table = "receipt"
        case payer, payee, name, method, amount, currency, created, stage, metadata, proof
    }

    /// The condition on the receipt of an id; its values are ``key(_:)``.
    static let isKey = "payer = ?1 AND payee = ?2 AND name = ?3"

    static func key(_ id: ChannelReceipt.ID) -> [Database.Value] { [.text(id.payer), .text(id.payee), .text(id.name)] }

    /// The values of a new row, in the order of the columns.
    package static func values(_ receipt: ChannelReceipt) -> [Database.Value] {
        Column.allCases.map { value($0, of: receipt) }
    }

    package static func value(_ column: Column, of receipt: ChannelReceipt) -> Database.Value {
        switch column {
        case .payer: .text(receipt.id.payer)
        case .payee: .text(receipt.id.payee)
        case .name: .text(receipt.id.name)
        case .method: .text(receipt.method)
        case .amount: receipt.amount.map { .text($0) } ?? .null
        case .currency: receipt.currency.map { .text($0) } ?? .null
        case .created: .integer(receipt.createdAt)
        case .stage: .text(rawValue(receipt.stage))
        case .metadata: .text(receipt.metadata.text)
        case .proof: receipt.proof.map { .text($0.text) } ?? .null
        }
    }

    package static func receipt(_ row: Row<Column>) throws(JournalError) -> ChannelReceipt {
        guard let stage = ChannelReceipt.Stage.allCases.first(where: { rawValue($0) == row.text(.stage) }),
            let metadata = try? JSONValue(parsing: row.text(.metadata))
        else { throw row.damage("a receipt cannot be read") }
        var proof: JSONValue?
        if let text = row.optionalText(.proof) {
            proof = try? JSONValue(parsing: text)
            if proof == nil { throw row.damage("the proof of a receipt cannot be read") }
        }
        return ChannelReceipt(
            id: ChannelReceipt.ID(payer: row.text(.payer), payee: row.text(.payee), name: row.text(.name)),
            method: row.text(.method), amount: row.optionalText(.amount), currency: row.optionalText(.currency),
            createdAt: row.integer(.created), metadata: metadata, stage: stage, proof: proof)
    }

    private static func rawValue(_ stage: ChannelReceipt.Stage) -> String {
        switch stage {
        case .requested: "requested"
        case .confirmed: "confirmed"
        case .paying: "paying"
        case .paid: "paid"
        }
    }
}

extension Schema {
    /// The tables of a file of receipts. The names in them are texts that either side chose.
    static let receipts = Schema(
        kind: .receipts,
        steps: [
            """
            CREATE TABLE receipt (
                number INTEGER PRIMARY KEY,
                payer TEXT NOT NULL,
                payee TEXT NOT NULL,
                name TEXT NOT NULL,
                method TEXT NOT NULL,
                amount TEXT,
                currency TEXT,
                created INTEGER NOT NULL,
                stage TEXT NOT NULL,
                metadata TEXT NOT NULL,
                proof TEXT,
                UNIQUE (payer, payee, name)
            ) STRICT;
            CREATE TABLE arrival (
                kind TEXT NOT NULL,
                sender TEXT NOT NULL,
                name TEXT NOT NULL,
                PRIMARY KEY (kind, sender, name)
            ) STRICT, WITHOUT ROWID;
            """
        ])
}
