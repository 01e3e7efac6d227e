import CitconMerchant
import PaymentCore
import PaymentRouting
import PaymentTesting
import Synchronization

/// A merchant's server: makes charges for its app, takes notifications, delivers each order once, cancels and refunds.
final class ShopServer: SandboxService {
    let router: PaymentRouter
    private let shop: CitconMerchantClient
    private let orders: Orders
    /// The receiver of the service's notifications: this server's own address, known once it listens.
    private let address = Mutex<HTTPURL?>(nil)
    private let told = Mutex<[String]>([])
    private let taken = Mutex<[IncomingNotification]>([])

    init(_ router: PaymentRouter, _ shop: CitconMerchantClient, _ orders: Orders) {
        self.router = router
        self.shop = shop
        self.orders = orders
    }

    /// Sets the address of the server.
    func open(at url: HTTPURL) { address.withLock { $0 = url } }

    /// The notifications from the service, in the order of arrival.
    var news: [String] { told.withLock { $0 } }

    /// The notifications as they came.
    var notifications: [IncomingNotification] { taken.withLock { $0 } }

    func respond(to request: HTTPRequest) async -> HTTPResponse {
        let path = request.url.path.split(separator: "/").map(String.init)
        do {
            switch (request.method, path.first, path.count) {
            case (.post, "orders", 2): return try await order(path[1])
            case (.get, "orders", 2): return json(200, ["state": .string("\(try await state(of: path[1]))")])
            case (.post, "orders", 3) where path[2] == "refund": return try await refund(path[1])
            case (.post, "orders", 3) where path[2] == "cancel": return try await cancel(path[1])
            case (.post, "hooks", 1):
                let notification = IncomingNotification(headers: request.headers, body: request.body)
                taken.withLock { $0.append(notification) }
                return HTTPResponse(status: await take(notification))
            default: return json(404, ["error": "there is nothing here"])
            }
        } catch let error as PaymentError {
            // 502 means that the payment service failed; the message holds no secrets.
            return json(error.phase == .beforeSend ? 400 : 502, ["error": .string(error.message)])
        } catch {
            return json(500, ["error": "the server has a fault"])
        }
    }

    private static func price() throws -> Money { try Money(minorUnits: 1250, currency: .usd) }

    private func reference(_ order: String) -> PaymentReference {
        PaymentReference(provider: CitconMerchant.id, id: order)
    }

    /// Makes the charge that belongs to an order, once: the order's number is its reference.
    private func order(_ number: String) async throws -> HTTPResponse {
        let hooks = try address.withLock { try $0?.appending(["hooks"]).text }
        var order = CitconOrder(
            reference: number, amount: try Self.price(), country: "US", method: "alipay",
            urls: .init(ipn: hooks, success: "https://shop.example/thanks"))
        order.clients = ["mobile_browser"]
        await orders.add(reference(number), price: order.amount)
        let charge = try await shop.createCharge(order)
        return json(201, ["page": .string(charge.pages.first?.url.reveal() ?? "")])
    }

    private func state(of order: String) async throws -> PaymentOutcome {
        try await router.status(of: reference(order))
    }

    /// Refunds an order. The refund's id follows from the order, so that repeated requests make one refund.
    private func refund(_ order: String) async throws -> HTTPResponse {
        await orders.close(reference(order))
        let request = RefundRequest(of: reference(order), amount: try Self.price(), id: "refund-\(order)")
        let outcome = try await router.refund(request)
        return json(200, ["refund": .string(outcome.isFinal ? "made" : "open")])
    }

    /// Cancels an order that is not paid.
    private func cancel(_ order: String) async throws -> HTTPResponse {
        await orders.close(reference(order))
        return json(200, ["state": .string("\(try await router.cancel(reference(order)))")])
    }

    /// Handles a notification: checks and stores it, and acknowledges it only then.
    ///
    /// - Returns: the HTTP status.
    func take(_ notification: IncomingNotification) async -> Int {
        do {
            let news = try await router.handle(notification, from: CitconMerchant.id)
            let what = news.reference.isRefund ? "refund" : "payment"
            told.withLock { $0.append("\(what) \(news.reference.id)") }
            await fulfil(news.outcome, of: news.reference)
            return 200
        } catch {
            return error.code == .untrustedNotification ? 400 : 500
        }
    }

    /// Delivers an order, once: every report of a payment goes through here.
    private func fulfil(_ outcome: PaymentOutcome, of payment: PaymentReference) async {
        // A refund or a capture has its own report.
        guard payment.isPayment, case .succeeded(let receipt) = outcome else { return }
        await orders.deliver(payment, paid: receipt.amount)
    }

    private func json(_ status: Int, _ body: JSONValue) -> HTTPResponse {
        HTTPResponse(status: status, headers: ["Content-Type": "application/json"], body: body.serialized())
    }
}
