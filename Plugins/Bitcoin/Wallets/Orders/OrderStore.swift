package import PaymentCore

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

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
    /// The time in seconds for which others wait after a request without an answer. It decides nothing about that
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

    /// Ends an order as paid. An order that was refused after its request had left, too, unless another one that is not
    /// refused is for its payment.
    func settle(_ name: String, _ proof: SettlementProof, fee: UInt64?) async throws

    /// Ends an order whose request is over as one under which nothing was sent.
    func refuse(_ name: String, because reason: String) async throws
}
