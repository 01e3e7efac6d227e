import PaymentCore
import PaymentLoopback
import PaymentTesting
import PaymentTransport
import PayrailsKit
import PayrailsMerchant
import PayrailsSandbox

/// A shop and its app at a sandbox on this machine: the shop opens a session, the app's payer pays in it, the shop is
/// notified, captures a part of the money, refunds some of that, and cancels another payment.
/// Run it with `swift run payrails-merchant`.
@main
struct PayrailsMerchantExample {
    static func main() async throws {
        let door = Door()
        let shopServer = try LoopbackServer(door)
        defer { shopServer.stop() }
        var configuration = PayrailsSandbox.Configuration()
        configuration.notificationURLs = [shopServer.baseURL.origin + "/payrails"]
        configuration.notificationTransport = StandardTransport()
        let sandbox = PayrailsSandbox(configuration)
        let server = try LoopbackServer(sandbox)
        defer { server.stop() }
        let shop = try Shop(at: server.baseURL)
        await door.open(to: shop)

        print("An order is paid, captured in part, and refunded in part")
        let order = try await shop.checkOut("order-7", try euros("99.00"))
        let again = try await shop.checkOut("order-7", try euros("99.00"))
        print("  asked for twice, it is \(order.payment == again.payment ? "one payment" : "two payments")")
        guard let payment = order.payment else { return }
        print("  the payer pays: \(try await pay(in: again))")
        await sandbox.finishDeliveries()
        print("  the shop has heard: \(await shop.record(payment))")
        print("  captured 60.00: \(word(try await shop.capture(payment, try euros("60.00"))))")
        for _ in 0..<2 {
            let outcome = try await shop.refund(payment, try euros("20.00"), creditNote: "credit-1")
            print("  refunded 20.00 by credit-1: \(word(outcome))")
        }
        await sandbox.finishDeliveries()
        print("  the shop has heard: \(await shop.record(payment))")
        let given = await sandbox.ledger.events(of: payment.id).count { $0 == .refunded(amount: "20.00 EUR") }
        print("  the sandbox gave money back \(given) time\(given == 1 ? "" : "s")")

        print("An order is paid, and cancelled before anything is captured")
        let other = try await shop.checkOut("order-8", try euros("12.50"))
        guard let second = other.payment else { return }
        print("  the payer pays: \(try await pay(in: other))")
        print("  cancelled: \(word(try await shop.cancel(second)))")
        await sandbox.finishDeliveries()
        print("  the shop has heard: \(await shop.record(second))")

        print("Another service's notification")
        if let sent = await sandbox.notifications.last {
            var request = HTTPRequest(.post, try HTTPURL(shopServer.baseURL.origin + "/payrails"), body: sent.body)
            request.headers["X-Signature"] = String(repeating: "A", count: 43) + "="
            print("  is answered \(try await StandardTransport().send(request).status)")
        }
    }

    /// Pays in the session that the app's server passes to it.
    @MainActor
    private static func pay(in session: PayrailsOpenSession) async throws -> String {
        let payrails = try await Payrails.createSession(with: Payrails.Configuration(initData: session.initData))
        guard let card = payrails.storedInstruments(for: .card).first else { return "no card" }
        switch await payrails.executePayment(withStoredInstrument: card) {
        case .success: return "success"
        default: return "no success"
        }
    }

    private static func euros(_ text: String) throws -> Money { try Money(decimal: text, currency: .eur) }

    private static func word(_ outcome: PaymentOutcome) -> String {
        if case .succeeded = outcome { "done" } else { outcome.description }
    }
}
