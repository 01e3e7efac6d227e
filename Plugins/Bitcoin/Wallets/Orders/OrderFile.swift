import PaymentCore
import PaymentRouting
import PaymentStore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Orders in one SQLite file, shared by any number of processes of one machine. Each locks a range of another file for
/// as long as it lives, which shows the others whether it can still be sending.
actor OrderFile: OrderStore {
    private typealias Column = StoredOrder.Column

    private let queue = SerialQueue("wallet-orders")
    private let database: Database
    private let owner: OwnerLock
    private let mark: OrderMark
    nonisolated let name: String

    nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

    init(path: String, creating: Bool) throws {
        let random = SystemRandomSource()
        database = try JournalFile(path: path, isMade: creating, schema: .walletOrders).open(random.hex(16))
        try database.execute("PRAGMA synchronous = FULL")
        // One of 2^52 bytes: two owners never meet on one.
        owner = try OwnerLock(path: path + "-owners", id: Int64(random.next() >> 12))
        mark = OrderMark(path: path + "-mark")
        name = "orders-" + (try Self.id(in: database, mark, path))
    }

    /// Returns the id of these orders. A file that is older than its mark gets a new id, and forgets the names that it
    /// registered: they may have been requested since.
    private static func id(in database: Database, _ mark: OrderMark, _ path: String) throws -> String {
        try database.transaction { () throws(JournalError) in
            guard let id = try database.texts("SELECT id FROM memory").first else {
                throw JournalError.damaged(path: path, detail: "the orders have no name")
            }
            guard try Self.count(in: database) < mark.count(of: id) else { return id }
            try database.execute("UPDATE memory SET id = lower(hex(randomblob(16))); DELETE FROM registered")
            return try database.texts("SELECT id FROM memory").first ?? id
        }
    }

    /// Returns the number of the last order.
    private static func count(in database: Database) throws(JournalError) -> Int64 {
        try database.number("SELECT max(number) FROM wallet_order") ?? 0
    }

    // MARK: Reading

    func order(named name: String, at now: Date) throws -> WalletOrder? {
        try database.transaction { () throws(JournalError) in try find("name = ?1", name, now) }
    }

    func order(for id: String, at now: Date) throws -> WalletOrder? {
        try database.transaction { () throws(JournalError) in try find(Self.isOpen, id, now) }
    }

    func isRegistered(_ name: String) throws -> Bool {
        try !database.texts("SELECT name FROM registered WHERE name = ?1", [.text(name)]).isEmpty
    }

    func requested(for id: String) throws -> WalletOrder? {
        try database.transaction { () throws(JournalError) in
            try find("hash = ?1 AND state = 'refused' AND asked IS NOT NULL ORDER BY number DESC", id, .distantPast)
        }
    }

    // MARK: Changing

    func register(_ name: String) throws {
        try database.transaction { () throws(JournalError) in
            try database.run("INSERT OR IGNORE INTO registered (name) VALUES (?1)", [.text(name)])
        }
    }

    func begin(_ order: WalletOrder, alone: Bool) throws -> OrderClaim {
        let claim: OrderClaim = try database.transaction { () throws(JournalError) in
            if let known = try find("name = ?1", order.name, order.placedAt) { return .known(known) }
            if let known = try find(Self.isOpen, order.payment?.id ?? "", order.placedAt) { return .known(known) }
            if alone, try isBusy(order.wallet ?? "", order.placedAt) { return .busy }
            try insert(order)
            // The process's lock shows for how long it sends.
            return .begun { send in await send() }
        }
        // Written before the request leaves: a copy of the file without this order is older than the mark. The
        // database's lock keeps the mark from going back.
        guard case .begun = claim else { return claim }
        try database.transaction { () throws(JournalError) in
            try mark.write(String(name.dropFirst("orders-".count)), count: Self.count(in: database))
        }
        return claim
    }

    /// Returns true if the request of an order at a wallet may still be carried out.
    private func isBusy(_ wallet: String, _ now: Date) throws(JournalError) -> Bool {
        let names = try database.texts(
            "SELECT name FROM wallet_order WHERE wallet = ?1 AND state = 'sending'", [.text(wallet)])
        // Each look ends the request of a process that is gone.
        for name in names { if try find("name = ?1", name, now)?.state == .sending { return true } }
        let time = now.timeIntervalSinceReferenceDate
        let unanswered = try database.number(
            "SELECT count(*) FROM wallet_order WHERE wallet = ?1 AND state = 'asked' AND dealt = 0 "
                + "AND abs(asked - ?2) < \(OrderTurn.seconds)", [.text(wallet), .real(time)])
        return unanswered != 0
    }

    func refuse(_ order: WalletOrder) throws -> WalletOrder {
        try database.transaction { () throws(JournalError) in
            if let known = try find("name = ?1", order.name, order.placedAt) { return known }
            try insert(order)
            return order
        }
    }

    func endRequest(of name: String, isDealtWith: Bool, now: Date) throws {
        try database.transaction { () throws(JournalError) in
            try database.run(
                "UPDATE wallet_order SET state = 'asked', asked = ?3, dealt = ?4 "
                    + "WHERE name = ?1 AND state = 'sending' AND owner = ?2",
                [
                    .text(name), .integer(owner.id), .real(now.timeIntervalSinceReferenceDate),
                    .integer(isDealtWith ? 1 : 0),
                ])
        }
    }

    func settle(_ name: String, _ proof: SettlementProof, fee: UInt64?) throws {
        try database.transaction { () throws(JournalError) in
            try database.run(
                "UPDATE wallet_order SET state = 'paid', proof = ?2, fee = ?3 WHERE name = ?1 AND "
                    + StoredOrder.canBePaid("wallet_order"),
                [.text(name), .text(proof.stored), StoredOrder.value(fee: fee)])
        }
    }

    func note(height: UInt64, for name: String) throws {
        try database.transaction { () throws(JournalError) in
            try database.run(
                "UPDATE wallet_order SET height = ?2 WHERE name = ?1 AND state = 'asked' AND height IS NULL",
                [.text(name), .integer(Int64(clamping: height))])
        }
    }

    func refuse(_ name: String, because reason: String) throws {
        try database.transaction { () throws(JournalError) in
            try database.run(
                "UPDATE wallet_order SET state = 'refused', reason = ?2 WHERE name = ?1 AND state = 'asked'",
                [.text(name), .text(reason)])
        }
    }

    // MARK: Rows

    private static let isOpen = "hash = ?1 AND state <> 'refused'"

    /// Finds an order. The request of one whose process is gone is over: its connection has ended with it.
    private func find(_ condition: String, _ value: String, _ now: Date) throws(JournalError) -> WalletOrder? {
        let found = try database.all(Column.self, "WHERE \(condition)", [.text(value)]) {
            (row) throws(JournalError) in (try StoredOrder.order(row), row.integer(.owner))
        }
        guard let (order, sender) = found.first else { return nil }
        guard case .sending = order.state, !owner.isAlive(sender) else { return order }
        try database.run(
            "UPDATE wallet_order SET state = 'asked', asked = ?2, dealt = 0 WHERE name = ?1 AND state = 'sending'",
            [.text(order.name), .real(now.timeIntervalSinceReferenceDate)])
        return order.asked(since: now)
    }

    private func insert(_ order: WalletOrder) throws(JournalError) {
        try database.insert(Column.self, StoredOrder.values(order, owner: owner.id))
    }
}

extension Schema {
    /// The table of orders in a file. No two orders that are not refused are for one payment hash: the file itself
    /// keeps an invoice from being paid under two names. An order on the chain has its transaction's id as its hash,
    /// and its address as its invoice.
    static let walletOrders = Schema(
        kind: .walletOrders,
        steps: [
            """
            CREATE TABLE wallet_order (
                number INTEGER PRIMARY KEY,
                name TEXT NOT NULL UNIQUE,
                wallet TEXT,
                hash TEXT,
                invoice TEXT,
                chain INTEGER NOT NULL,
                amount INTEGER NOT NULL,
                amountless INTEGER NOT NULL,
                fee_limit INTEGER NOT NULL,
                placed REAL NOT NULL,
                owner INTEGER NOT NULL,
                state TEXT NOT NULL,
                asked REAL,
                dealt INTEGER NOT NULL,
                height INTEGER,
                proof TEXT,
                fee INTEGER,
                reason TEXT,
                service TEXT,
                success TEXT
            ) STRICT;
            CREATE UNIQUE INDEX wallet_order_hash ON wallet_order (hash) WHERE state <> 'refused';
            CREATE TABLE registered (name TEXT PRIMARY KEY) STRICT;
            CREATE TABLE memory (id TEXT NOT NULL) STRICT;
            INSERT INTO memory (id) VALUES (lower(hex(randomblob(16))));
            """
        ])
}

/// The mark next to a file of orders: the number of the last order of each file that was ever at this place, written
/// before the order's request left. A file that is behind its mark is an older copy, which does not know what was
/// requested since.
struct OrderMark: Sendable {
    let path: String

    /// Returns the number of the last order of the orders of this id; 0 if there is no mark.
    func count(of id: String) -> Int64 {
        guard let file = fopen(path, "r") else { return 0 }
        defer { fclose(file) }
        var count: Int64 = 0
        var line = [CChar](repeating: 0, count: 128)
        while fgets(&line, Int32(line.count), file) != nil {
            let words = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
                .split(whereSeparator: \.isWhitespace)
            // A line that a crash has cut off says nothing: its request has not left.
            guard words.count == 3, words[0] == id else { continue }
            count = max(count, Int64(words[1]) ?? 0)
        }
        return count
    }

    /// Writes the number of the last order of the orders of this id. It is on the disk when this returns.
    func write(_ id: String, count: Int64) throws(JournalError) {
        let file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw .inaccessible(path: path, detail: String(cString: strerror(errno))) }
        defer { close(file) }
        let line = Array("\n\(id) \(count) .\n".utf8)
        guard Self.append(line, to: file) == line.count, fsync(file) == 0 else {
            throw .inaccessible(path: path, detail: String(cString: strerror(errno)))
        }
    }

    private static func append(_ bytes: [UInt8], to file: Int32) -> Int {
        #if canImport(Glibc)
            Glibc.write(file, bytes, bytes.count)
        #elseif canImport(Musl)
            Musl.write(file, bytes, bytes.count)
        #else
            Darwin.write(file, bytes, bytes.count)
        #endif
    }
}
