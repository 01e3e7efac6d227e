public import PaymentCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The orders of an application's wallets: which name asked for which payment, and the state of each.
///
/// They are kept in one SQLite file, shared safely by any number of tasks and processes of one machine, or with
/// `BitcoinPostgres` in a database that several machines share. A change is on the disk when its call returns. Errors
/// are ``/PaymentRouting/JournalError``: the file is opened, checked and refused as a journal's is, and is no journal.
/// It holds invoices and preimages, and no key.
///
/// - Warning: Never delete the orders, or replace them by an older copy, while a payment is open: they keep an invoice
///   from being requested twice.
public struct WalletOrders: Sendable {
    package let store: any OrderStore

    /// Opens the orders in the file at `path` and checks its soundness.
    ///
    /// - Parameters:
    ///   - path: the location of the file; its folder has to exist.
    ///   - creating: true to create a file that does not exist.
    /// - Throws: ``/PaymentRouting/JournalError``; the file is as it was then.
    public init(path: String, creating: Bool = true) throws {
        self.init(try OrderFile(path: path, creating: creating))
    }

    package init(_ store: any OrderStore) { self.store = store }

    /// Returns the order of a name; nil when there is none.
    ///
    /// - Parameters:
    ///   - name: ``/PaymentCore/Settlement/key``.
    ///   - now: the time by the caller's clock.
    /// - Throws: ``/PaymentRouting/JournalError``.
    public func order(named name: String, at now: Date) async throws -> WalletOrder? {
        try await store.order(named: name, at: now)
    }
}

/// An order at a wallet: the name of a requested payment, the payment, and its outcome.
public struct WalletOrder: Sendable, Hashable {
    /// The knowledge about an order.
    @nonexhaustive
    public enum State: Sendable, Hashable {
        /// A living process is sending the request.
        case sending
        /// The request's connection has ended at this time, without an answer that ends the order. True if the request
        /// itself is over, and the wallet's records say what it started. The height is that of the wallet's chain when
        /// the order was first looked at after that, if it matters; no clock ends the order.
        case asked(since: Date, isDealtWith: Bool, height: UInt64?)
        /// Paid, with the preimage, which fits the payment hash, the transaction on the chain, or without a proof; and
        /// the fee in thousandths of a satoshi, if known.
        case paid(SettlementProof, fee: UInt64?)
        /// Nothing was sent under this name. True if its request had left: then the wallet is asked again whenever the
        /// order is. If it has paid after all, the order becomes paid.
        case refused(reason: String, wasRequested: Bool)
    }

    /// The name: ``/PaymentCore/Settlement/key``.
    public let name: String
    /// The wallet: ``WalletAccount/id``. Nil if the order was refused before a wallet was asked.
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
    /// The time of its placement.
    public let placedAt: Date
    /// The knowledge about it.
    public let state: State
    /// The message of the payee's service for after the payment, unchanged; nil if there is none.
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

    /// Returns it with a request that is over. The wallet may not have dealt with the request.
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

// MARK: - Storage

/// The answer to the wish to begin an order.
package enum OrderClaim: Sendable {
    /// The caller has it, and sends its request, once.
    case begun(OrderRequest)
    /// There is one of this name, or an open or paid one for this payment's id.
    case known(WalletOrder)
    /// Another order's request may still be carried out at this wallet.
    case busy
}

/// The turns of orders at a wallet that carries out one request after the other.
package enum OrderTurn {
    /// The time in seconds that others wait after a request without an answer. It decides nothing about that
    /// order.
    package static let seconds = 15
}

/// The one request of an order that has begun: sends it, for as long as no other process takes its sender for dead.
package typealias OrderRequest = @Sendable (_ send: @escaping @Sendable () async -> WalletAnswer) async -> WalletAnswer

/// A storage of orders. All calls are atomic, whichever process makes them, and what they change is on the disk when
/// they return. Of all orders for one payment's id, one at most is not refused.
///
/// An order is ``WalletOrder/State/sending`` while the process that began it lives; when it is found dead, the request
/// is over from then on.
package protocol OrderStore: Sendable {
    /// The permanent name of these orders, drawn when they were made.
    var name: String { get }

    /// Notes a name, unless it is known.
    func register(_ name: String) async throws

    /// Returns true if a name was noted.
    func isRegistered(_ name: String) async throws -> Bool

    /// Returns the order of a name; nil when there is none.
    func order(named name: String, at now: Date) async throws -> WalletOrder?

    /// Returns the order that is not refused for a payment's id; nil when there is none.
    func order(for id: String, at now: Date) async throws -> WalletOrder?

    /// Returns the last order for a payment's id that was refused after its request had left; nil when there is none.
    func requested(for id: String) async throws -> WalletOrder?

    /// Stores an order, unless there is one of its name, or one that is not refused for its payment.
    ///
    /// - Parameter alone: true if it has to wait while another one at its wallet is sent, or was sent in the last 15
    ///   seconds without an answer.
    func begin(_ order: WalletOrder, alone: Bool) async throws -> OrderClaim

    /// Stores a refused order, unless there is one of its name.
    ///
    /// - Returns: the order that is now stored.
    func refuse(_ order: WalletOrder) async throws -> WalletOrder

    /// Notes that the request of an order that this store began is over.
    func endRequest(of name: String, isDealtWith: Bool, now: Date) async throws

    /// Notes the height of the chain with an order whose request is over, unless one is noted.
    func note(height: UInt64, for name: String) async throws

    /// Ends an order as paid, also one that was refused after its request had left, unless another one that is not
    /// refused is for its payment.
    func settle(_ name: String, _ proof: SettlementProof, fee: UInt64?) async throws

    /// Ends an order whose request is over as one that has sent nothing.
    func refuse(_ name: String, because reason: String) async throws
}
