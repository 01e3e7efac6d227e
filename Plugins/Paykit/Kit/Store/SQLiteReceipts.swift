public import PaykitProvider
import PaymentCore
public import PaymentRouting
import PaymentStore

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
