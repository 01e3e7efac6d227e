import PaymentCore
import PaymentRouting
import PaymentStore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The orders of an application's wallets in one SQLite file, shared safely by any number of tasks and processes of one
/// machine: which name asked for which payment, and what is known of it.
///
/// A change is on the disk when its call returns. Errors are ``/PaymentRouting/JournalError``: the file is opened,
/// checked and refused as a journal's is, and is no journal. It holds invoices and preimages, and no key.
///
/// - Warning: Never delete the file, or replace it by an older copy, while a payment is open: it keeps an invoice from
///   being requested twice.
public actor WalletOrders {
    /// The answer to the wish to begin an order.
    enum Claim {
        /// The caller has it, and sends its request, once.
        case begun
        /// There is one of this name, or an open or paid one for this payment hash.
        case known(WalletOrder)
    }

    private enum Column: String, StoredColumn {
        static let table = "wallet_order"
        case name, wallet, hash, invoice, chain, amount, amountless, fee_limit, placed, owner, state, asked, dealt
        case proof, fee, reason, service, success
    }

    private enum Word: String {
        case sending, asked, paid, refused
    }

    private let queue = SerialQueue("wallet-orders")
    private let database: Database
    private let owner: OwnerLock

    /// The queue that the store works on.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

    /// Creates a store by opening the file at `path` and checking its soundness.
    ///
    /// - Parameters:
    ///   - path: the location of the file; its folder has to exist.
    ///   - creating: true to create a file that does not exist.
    /// - Throws: ``/PaymentRouting/JournalError``; the file is as it was then.
    public init(path: String, creating: Bool = true) throws {
        let random = SystemRandomSource()
        database = try JournalFile(path: path, isMade: creating, schema: .walletOrders).open(random.hex(16))
        try database.execute("PRAGMA synchronous = FULL")
        // One of 2^52 bytes: two owners never meet on one.
        owner = try OwnerLock(path: path + "-owners", id: Int64(random.next() >> 12))
    }

    // MARK: Reading

    /// Returns the order of a name; nil when there is none.
    ///
    /// - Throws: ``/PaymentRouting/JournalError``.
    public func order(named name: String, at now: Date) throws -> WalletOrder? {
        try database.transaction { () throws(JournalError) in try find("name = ?1", name, now) }
    }

    /// Returns the open or paid order for a payment hash; nil when there is none.
    func order(for paymentHash: String, at now: Date) throws -> WalletOrder? {
        try database.transaction { () throws(JournalError) in try find(Self.isOpen, paymentHash, now) }
    }

    // MARK: Changing

    /// Begins an order, which its caller alone may then request from the wallet, once.
    func begin(
        _ payment: WalletOrder.Payment, named name: String, at wallet: WalletAccount, message: ServiceMessage? = nil,
        now: Date
    ) throws -> Claim {
        try database.transaction { () throws(JournalError) in
            if let known = try find("name = ?1", name, now) { return .known(known) }
            if let known = try find(Self.isOpen, payment.id, now) { return .known(known) }
            try insert(
                WalletOrder(
                    name: name, wallet: wallet.id, payment: payment, placedAt: now, state: .sending, message: message))
            return .begun
        }
    }

    /// Ends a name that has no order: nothing is ever requested under it.
    ///
    /// - Returns: the order that is now stored, which may be an earlier one.
    func refuse(
        _ name: String, _ payment: WalletOrder.Payment?, because reason: String, now: Date
    ) throws -> WalletOrder {
        try database.transaction { () throws(JournalError) in
            if let known = try find("name = ?1", name, now) { return known }
            let order = WalletOrder(name: name, payment: payment, placedAt: now, state: .refused(reason: reason))
            try insert(order)
            return order
        }
    }

    /// Notes that the request of an order that this store began is over.
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

    /// Ends an order as paid.
    func settle(_ name: String, _ proof: SettlementProof, fee: UInt64?) throws {
        try database.transaction { () throws(JournalError) in
            try database.run(
                "UPDATE wallet_order SET state = 'paid', proof = ?2, fee = ?3 "
                    + "WHERE name = ?1 AND state IN ('sending', 'asked')",
                [.text(name), .text(proof.text), fee.flatMap { Int64(exactly: $0) }.map { .integer($0) } ?? .null])
        }
    }

    /// Ends an order whose request is over as one under which nothing was sent.
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
            (row) throws(JournalError) in (try Self.order(row), row.integer(.owner))
        }
        guard let (order, sender) = found.first else { return nil }
        guard case .sending = order.state, !owner.isAlive(sender) else { return order }
        try database.run(
            "UPDATE wallet_order SET state = 'asked', asked = ?2, dealt = 0 WHERE name = ?1 AND state = 'sending'",
            [.text(order.name), .real(now.timeIntervalSinceReferenceDate)])
        return WalletOrder(
            name: order.name, wallet: order.wallet, payment: order.payment, placedAt: order.placedAt,
            state: .asked(since: now, isDealtWith: false), message: order.message)
    }

    private func insert(_ order: WalletOrder) throws(JournalError) {
        let payment = order.payment.map(StoredPayment.init)
        var reason: String?
        if case .refused(let text) = order.state { reason = text }
        try database.insert(
            Column.self,
            Column.allCases.map { column in
                switch column {
                case .name: .text(order.name)
                case .wallet: order.wallet.map { .text($0) } ?? .null
                case .hash: payment.map { .text($0.id) } ?? .null
                case .invoice: payment.map { .text($0.text) } ?? .null
                case .chain: .integer(payment?.isOnChain == true ? 1 : 0)
                case .amount: .integer(Int64(clamping: payment?.amount ?? 0))
                case .amountless: .integer(payment?.isAmountless == true ? 1 : 0)
                case .fee_limit: .integer(Int64(clamping: payment?.feeLimit ?? 0))
                case .placed: .real(order.placedAt.timeIntervalSinceReferenceDate)
                case .owner: .integer(owner.id)
                case .state: .text((reason == nil ? Word.sending : .refused).rawValue)
                case .dealt: .integer(0)
                case .reason: reason.map { .text($0) } ?? .null
                case .service: order.message.map { .text($0.host) } ?? .null
                case .success: order.message.map { .text($0.text) } ?? .null
                case .asked, .proof, .fee: .null
                }
            })
    }

    private static func order(_ row: Row<Column>) throws(JournalError) -> WalletOrder {
        let state: WalletOrder.State
        switch Word(rawValue: row.text(.state)) {
        case .sending: state = .sending
        case .asked where !row.isNull(.asked):
            state = .asked(
                since: Date(timeIntervalSinceReferenceDate: row.real(.asked)),
                isDealtWith: row.integer(.dealt) != 0)
        case .paid where !row.isNull(.proof):
            let proof = row.text(.proof)
            state = .paid(
                row.integer(.chain) == 0 ? .preimage(proof) : .transaction(proof),
                fee: row.isNull(.fee) ? nil : UInt64(exactly: row.integer(.fee)))
        case .refused where !row.isNull(.reason): state = .refused(reason: row.text(.reason))
        default: throw row.damage("an order has no state that is known")
        }
        var payment: StoredPayment?
        if let text = row.optionalText(.invoice), let id = row.optionalText(.hash) {
            guard let amount = UInt64(exactly: row.integer(.amount)),
                let limit = UInt64(exactly: row.integer(.fee_limit))
            else { throw row.damage("an order has an amount below nothing") }
            payment = StoredPayment(
                id: id, text: text, isOnChain: row.integer(.chain) != 0, amount: amount,
                isAmountless: row.integer(.amountless) != 0, feeLimit: limit)
        }
        return WalletOrder(
            name: row.text(.name), wallet: row.optionalText(.wallet), payment: payment?.payment,
            placedAt: Date(timeIntervalSinceReferenceDate: row.real(.placed)), state: state,
            message: row.optionalText(.service).map { ServiceMessage(host: $0, text: row.text(.success)) })
    }
}
