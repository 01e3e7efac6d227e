import PaymentCore
package import PaymentRouting
package import PaymentStore

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// An order as a row: the same columns in a file and in a database.
package enum StoredOrder {
    package enum Column: String, StoredColumn {
        package static let table = "wallet_order"
        case name, wallet, hash, invoice, chain, amount, amountless, fee_limit, placed, owner, state, asked, dealt,
            height
        case proof, fee, reason, service, success
    }

    private enum Word: String {
        case sending, asked, paid, refused
    }

    /// Returns the condition for an order to become paid: it was requested, and if it was refused since, no other
    /// order that is not refused is for its payment.
    ///
    /// - Parameter table: the table's name.
    package static func canBePaid(_ table: String) -> String {
        "(state IN ('sending', 'asked') OR state = 'refused' AND asked IS NOT NULL AND NOT EXISTS "
            + "(SELECT 1 FROM \(table) other WHERE other.hash = \(table).hash AND other.state <> 'refused'))"
    }

    /// Returns the values of a new row, in the order of the columns.
    ///
    /// - Parameters:
    ///   - order: an order that is being sent, or refused.
    ///   - owner: the number of the owner that sends.
    package static func values(_ order: WalletOrder, owner: Int64) -> [Database.Value] {
        let payment = order.payment.map(StoredPayment.init)
        var reason: String?
        if case .refused(let text, _) = order.state { reason = text }
        return Column.allCases.map { column in
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
            case .owner: .integer(owner)
            case .state: .text((reason == nil ? Word.sending : .refused).rawValue)
            case .dealt: .integer(0)
            case .reason: reason.map { .text($0) } ?? .null
            case .service: order.message.map { .text($0.host) } ?? .null
            case .success: order.message.map { .text($0.text) } ?? .null
            case .asked, .height, .proof, .fee: .null
            }
        }
    }

    /// Returns the value of a fee.
    package static func value(fee: UInt64?) -> Database.Value {
        fee.flatMap { Int64(exactly: $0) }.map { .integer($0) } ?? .null
    }

    /// Reads a row.
    ///
    /// - Parameter askedAt: the end of its request by the caller's clock, if the storage's clock is another.
    package static func order(_ row: Row<Column>, askedAt: Date? = nil) throws(JournalError) -> WalletOrder {
        let state: WalletOrder.State
        switch Word(rawValue: row.text(.state)) {
        case .sending: state = .sending
        case .asked where !row.isNull(.asked):
            state = .asked(
                since: askedAt ?? Date(timeIntervalSinceReferenceDate: row.real(.asked)),
                isDealtWith: row.integer(.dealt) != 0,
                height: row.isNull(.height) ? nil : UInt64(exactly: row.integer(.height)))
        case .paid where !row.isNull(.proof):
            guard let proof = SettlementProof(stored: row.text(.proof)) else {
                throw row.damage("an order has a proof of an unknown kind")
            }
            state = .paid(proof, fee: row.isNull(.fee) ? nil : UInt64(exactly: row.integer(.fee)))
        case .refused where !row.isNull(.reason):
            state = .refused(reason: row.text(.reason), wasRequested: !row.isNull(.asked))
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

/// A payment as orders are stored with it: a transaction on the chain has its address as the text, and its fee as the
/// limit. Amounts are in thousandths of a satoshi.
struct StoredPayment {
    let id: String
    let text: String
    let isOnChain: Bool
    let amount: UInt64
    let isAmountless: Bool
    let feeLimit: UInt64
}

extension StoredPayment {
    init(_ payment: WalletOrder.Payment) {
        switch payment {
        case .invoice(let invoice):
            self.init(
                id: invoice.paymentHash, text: invoice.text, isOnChain: false, amount: invoice.amount,
                isAmountless: invoice.isAmountless, feeLimit: invoice.feeLimit)
        case .transaction(let transaction):
            self.init(
                id: transaction.id, text: transaction.address, isOnChain: true, amount: transaction.amount * 1000,
                isAmountless: false, feeLimit: transaction.fee * 1000)
        }
    }

    /// The payment.
    var payment: WalletOrder.Payment {
        isOnChain
            ? .transaction(ChainTransaction(id: id, address: text, amount: amount / 1000, fee: feeLimit / 1000))
            : .invoice(
                WalletInvoice(
                    text: text, paymentHash: id, amount: amount, isAmountless: isAmountless, feeLimit: feeLimit))
    }
}
