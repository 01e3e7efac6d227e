import PaymentCore
import PaymentCrypto
import PaymentRouting

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An order as a record, and the decisions about it.
///
/// Three records change together. The order lies in the room of its name. The claim of its payment has the name of the
/// one order that is not refused. The turn at its wallet is there while the request may still be carried out. Names of
/// rooms are digests, because names, payments and wallets are texts of any length.
struct StoredOrder: Sendable, Hashable {
    /// The name of the mark of an order that is not refused. Its value is the payment's id.
    static let open = "open"
    /// The name of the mark of an order that was refused after its request had left. Its value is the payment's id.
    static let requested = "requested"

    var order: WalletOrder
    /// The id of the sender that began it; nil for an order that was refused without a request.
    let sender: String?

    /// Returns the key of an order's record.
    static func key(_ name: String) -> RecordKey { RecordKey("wallet order", room: digest(name)) }

    /// Returns the value of the marks of a payment's orders.
    static func mark(_ payment: String) -> RecordMark { RecordMark(digest(payment)) }

    static func digest(_ text: String) -> String { Hex.encode(Digest.sha256.hash(Array(text.utf8))) }

    /// The key of the record with the name of the order that has the payment.
    var claim: RecordKey { RecordKey("wallet payment", room: Self.digest(order.payment?.id ?? "")) }

    /// The key of the order's turn at its wallet.
    var turn: RecordKey {
        RecordKey("wallet turn", room: Self.digest(order.wallet ?? ""), name: Self.digest(order.name))
    }

    // MARK: Writing

    /// Returns the write of the order's record.
    func put() throws -> RecordWrite {
        var marks: [String: RecordMark] = [:]
        if let payment = order.payment {
            switch order.state {
            case .refused(_, let wasRequested): if wasRequested { marks[Self.requested] = Self.mark(payment.id) }
            default: marks[Self.open] = Self.mark(payment.id)
            }
        }
        return .put(Self.key(order.name), try OrderForm(self).bytes(), marks: marks)
    }

    /// Returns the writes of the order, its claim and its turn.
    ///
    /// - Parameter holder: the name of the order that has the claim.
    func writes(claimedBy holder: String?) throws -> [RecordWrite] {
        let isOwn = holder?.isExactly(order.name) ?? false
        var writes = [try put()]
        if case .refused = order.state {
            if isOwn { writes.append(.remove(claim)) }
        } else {
            guard isOwn || holder == nil else {
                throw JournalError.damagedOrders("two orders are open for one payment")
            }
            writes.append(.put(claim, Array(order.name.utf8)))
        }
        switch order.state {
        case .sending: writes.append(.put(turn, try OrderTurn(name: order.name, asked: nil).bytes()))
        case .asked(let date, isDealtWith: false, _):
            let asked = date.timeIntervalSinceReferenceDate
            writes.append(.put(turn, try OrderTurn(name: order.name, asked: asked).bytes()))
        default: writes.append(.remove(turn))
        }
        return writes
    }

    // MARK: Decisions

    /// Returns the state after the end of a sender's request; nil if nothing changes.
    func ended(by sender: String?, isDealtWith: Bool, at now: Date) -> WalletOrder.State? {
        guard case .sending = order.state, self.sender == sender else { return nil }
        return .asked(since: now, isDealtWith: isDealtWith, height: nil)
    }

    /// Returns the state with the first height of the chain after the request; nil if nothing changes.
    func noted(height: UInt64) -> WalletOrder.State? {
        guard case .asked(let date, let isDealtWith, nil) = order.state else { return nil }
        return .asked(since: date, isDealtWith: isDealtWith, height: height)
    }

    /// Returns the state of an order that has sent nothing; nil if its request is not over, or it has ended.
    func refused(because reason: String) -> WalletOrder.State? {
        guard case .asked = order.state else { return nil }
        return .refused(reason: reason, wasRequested: true)
    }

    /// Returns the paid state; nil for an order that was never requested, or is paid already. One that was refused since
    /// becomes paid only if no other order has its payment.
    ///
    /// - Parameter isClaimed: true if an order has the payment.
    func paid(_ proof: SettlementProof, fee: UInt64?, isClaimed: Bool) -> WalletOrder.State? {
        switch order.state {
        case .sending, .asked: .paid(proof, fee: fee)
        case .refused(_, let wasRequested): wasRequested && !isClaimed ? .paid(proof, fee: fee) : nil
        case .paid: nil
        }
    }
}

extension StoredOrder {
    /// Reads a record.
    init(_ record: StoredRecord) throws(JournalError) {
        let form = try OrderForm(record)
        guard Self.key(form.name) == record.key else { throw .damagedOrders("an order has another one's name") }
        let state: WalletOrder.State
        switch (form.state, form.asked, form.proof, form.reason) {
        case (.sending, _, _, _): state = .sending
        case (.asked, let asked?, _, _):
            state = .asked(
                since: Date(timeIntervalSinceReferenceDate: asked), isDealtWith: form.isDealtWith, height: form.height)
        case (.paid, _, let proof?, _): state = .paid(proof, fee: form.fee)
        case (.refused, _, _, let reason?): state = .refused(reason: reason, wasRequested: form.wasRequested)
        default: throw .damagedOrders("an order has a state without its parts")
        }
        order = WalletOrder(
            name: form.name, wallet: form.wallet, payment: form.payment?.payment,
            placedAt: Date(timeIntervalSinceReferenceDate: form.placed), state: state,
            message: form.service.map { ServiceMessage(host: $0, text: form.success ?? "") })
        sender = form.sender
    }
}

/// The turn of an order at a wallet that carries out one request after the other.
struct OrderTurn: RecordForm {
    /// The time in seconds that others wait after a request without an answer. It decides nothing about that order.
    static let seconds = 15.0
    static let noun = "turn"

    let name: String
    /// The end of the request, in seconds since the reference date; nil while it is being sent.
    let asked: Double?

    /// Returns true if others have to wait. A date that a wrong clock wrote lies too far away in either direction, and
    /// holds nobody up.
    func isBusy(at now: Date) -> Bool {
        asked.map { abs($0 - now.timeIntervalSinceReferenceDate) < Self.seconds } ?? true
    }
}

/// The permanent id of a store's orders.
struct OrderMemory: RecordForm {
    static let key = RecordKey("wallet orders")
    static let noun = "name"

    /// The id, which is random.
    var id: String
    /// The number of orders that were ever begun with a mark.
    var count: Int64

    /// Reads the record, which is there once the orders have been opened.
    static func read(_ found: [StoredRecord]) throws(JournalError) -> OrderMemory {
        guard let record = found.first else { throw .damagedOrders("the orders have no name") }
        return try OrderMemory(record)
    }
}

// MARK: - Forms

/// A value of a record, in JSON.
protocol RecordForm: Codable, Sendable {
    /// The thing that it stands for, in an error.
    static var noun: String { get }
}

extension RecordForm {
    init(_ record: StoredRecord) throws(JournalError) {
        do { self = try JSONValue(parsing: record.value).decode() } catch {
            throw .damagedOrders("the \(Self.noun) of orders cannot be read")
        }
    }

    /// Returns the value.
    ///
    /// - Throws: `EncodingError` for a date that is not a number.
    func bytes() throws -> [UInt8] { try JSONValue.encode(self).serialized() }
}

extension JournalError {
    /// Returns the error of orders that cannot be read.
    static func damagedOrders(_ detail: String) -> JournalError { .damaged(path: "wallet orders", detail: detail) }
}

/// The fields of an order. Dates are seconds since the reference date.
private struct OrderForm: RecordForm {
    enum State: String, Codable { case sending, asked, paid, refused }

    static let noun = "record"

    let name: String
    let wallet: String?
    let payment: StoredPayment?
    let placed: Double
    let sender: String?
    var state = State.sending
    var asked: Double?
    var isDealtWith = false
    var height: UInt64?
    var proof: SettlementProof?
    var fee: UInt64?
    var reason: String?
    var wasRequested = false
    let service: String?
    let success: String?

    init(_ stored: StoredOrder) {
        let order = stored.order
        (name, wallet, payment) = (order.name, order.wallet, order.payment.map(StoredPayment.init))
        (placed, sender) = (order.placedAt.timeIntervalSinceReferenceDate, stored.sender)
        (service, success) = (order.message?.host, order.message?.text)
        switch order.state {
        case .sending: break
        case .asked(let date, let isDealtWith, let height):
            (state, asked) = (.asked, date.timeIntervalSinceReferenceDate)
            (self.isDealtWith, self.height) = (isDealtWith, height)
        case .paid(let proof, let fee): (state, self.proof, self.fee) = (.paid, proof, fee)
        case .refused(let reason, let wasRequested):
            (state, self.reason, self.wasRequested) = (.refused, reason, wasRequested)
        }
    }
}

/// A payment as orders are stored with it: a transaction on the chain has its address as the text, and its fee as the
/// limit, in satoshi. Amounts of an invoice are in thousandths of a satoshi.
private struct StoredPayment: Codable {
    let id: String
    let text: String
    let isOnChain: Bool
    let amount: UInt64
    var isAmountless = false
    let feeLimit: UInt64

    init(_ payment: WalletOrder.Payment) {
        switch payment {
        case .invoice(let invoice):
            (id, text, isOnChain) = (invoice.paymentHash, invoice.text, false)
            (amount, isAmountless, feeLimit) = (invoice.amount, invoice.isAmountless, invoice.feeLimit)
        case .transaction(let transaction):
            (id, text, isOnChain) = (transaction.id, transaction.address, true)
            (amount, feeLimit) = (transaction.amount, transaction.fee)
        }
    }

    /// The payment.
    var payment: WalletOrder.Payment {
        isOnChain
            ? .transaction(ChainTransaction(id: id, address: text, amount: amount, fee: feeLimit))
            : .invoice(
                WalletInvoice(
                    text: text, paymentHash: id, amount: amount, isAmountless: isAmountless, feeLimit: feeLimit))
    }
}
