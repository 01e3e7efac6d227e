import PaymentCore
import PaymentTesting
import Synchronization
import WalletConnectPayMerchant

/// A merchant's server: it stores orders and webhooks.
final class Shop: SandboxService {
    private struct ReceivedPayments {
        var history = WalletConnectPayMerchant.EventHistory()
        var events: [WalletConnectPayMerchant.Event] = []
        var refused = 0
    }

    private let merchant: WalletConnectPayMerchant
    private let books = Mutex(ReceivedPayments())

    init(_ merchant: WalletConnectPayMerchant) { self.merchant = merchant }

    /// Handles a webhook: checks, stores, and then acknowledges it. One that cannot be checked is answered with 400.
    func respond(to request: HTTPRequest) async -> HTTPResponse {
        let notification = IncomingNotification(headers: request.headers, body: request.body)
        guard let event = try? merchant.read(notification) else {
            books.withLock { $0.refused += 1 }
            return HTTPResponse(status: 400)
        }
        books.withLock { $0.events.append(event) }
        return HTTPResponse(status: 200)
    }

    /// The events so far, in the order of the payment's states: webhooks arrive in any.
    var events: [WalletConnectPayMerchant.Event] {
        books.withLock { $0.events.sorted { ($0.payment.id, $0.version) < ($1.payment.id, $1.version) } }
    }

    /// The number of webhooks that could not be checked.
    var refusedCount: Int { books.withLock { $0.refused } }

    /// Returns the verdict on an event, given the events before it.
    func take(_ event: WalletConnectPayMerchant.Event) -> WalletConnectPayMerchant.EventHistory.Verdict {
        books.withLock { $0.history.take(event) }
    }
}
