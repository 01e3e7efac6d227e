public import PaymentCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// An order at a wallet: the name under which a payment was requested, the payment, and what became of it.
public struct WalletOrder: Sendable, Hashable {
    /// The knowledge about an order.
    @nonexhaustive
    public enum State: Sendable, Hashable {
        /// A living process is sending the request.
        case sending
        /// The request's connection has ended at this time, without an answer that ends the order. True if the request
        /// itself is over, and the wallet's records say what it started. The height is that of the wallet's chain when
        /// the order was first looked at after that, where it matters; no clock ends the order.
        case asked(since: Date, isDealtWith: Bool, height: UInt64?)
        /// Paid, with the preimage, which fits the payment hash, the transaction on the chain, or without a proof; and
        /// the fee in thousandths of a satoshi, if known.
        case paid(SettlementProof, fee: UInt64?)
        /// Nothing was sent under this name. True if its request had left: then the wallet is asked again whenever the
        /// order is, and what it has paid after all becomes paid here.
        case refused(reason: String, wasRequested: Bool)
    }

    /// The name: ``/PaymentCore/Settlement/key``.
    public let name: String
    /// The wallet: ``WalletAccount/id``. Nil where the order was refused before a wallet was asked.
    public let wallet: String?
    /// The payment that was requested.
    @nonexhaustive
    public enum Payment: Sendable, Hashable {
        /// That of an invoice.
        case invoice(WalletInvoice)
        /// A transaction on the chain.
        case transaction(ChainTransaction)

        /// The one name that the wallet knows it by: the payment hash, or the transaction's id.
        package var id: String {
            switch self {
            case .invoice(let invoice): invoice.paymentHash
            case .transaction(let transaction): transaction.id
            }
        }
    }

    /// The payment; nil for a name that was abandoned before there was one.
    public let payment: Payment?
    /// The time at which it was placed.
    public let placedAt: Date
    /// The knowledge about it.
    public let state: State
    /// The message of the payee's service for after the payment, unchanged; nil where there is none.
    let message: ServiceMessage?

    /// The message of the payee's service, once the payment is made.
    public var successAction: SuccessAction? {
        guard case .paid(let proof, _) = state, let message, let body = try? JSONValue(parsing: message.text) else {
            return nil
        }
        var preimage = ""
        if case .preimage(let text) = proof { preimage = text }
        return SuccessAction(body, from: message.host, preimage: preimage)
    }

    init(
        name: String, wallet: String? = nil, payment: Payment? = nil, placedAt: Date, state: State,
        message: ServiceMessage? = nil
    ) {
        self.message = message
        self.name = name
        self.wallet = wallet
        self.payment = payment
        self.placedAt = placedAt
        self.state = state
    }

    /// Returns it with a request that is over, and which the wallet may not have dealt with.
    func asked(since date: Date) -> WalletOrder {
        WalletOrder(
            name: name, wallet: wallet, payment: payment, placedAt: placedAt,
            state: .asked(since: date, isDealtWith: false, height: nil), message: message)
    }
}

/// A message that a payee's service has for a payer who has paid.
struct ServiceMessage: Sendable, Hashable {
    /// The host that made the invoice.
    let host: String
    /// The message as it was sent, in JSON.
    let text: String
}
