import PaymentCore
import PaymentLoopback
import PaymentRouting
import PaymentTesting
import PaymentTransport
import WalletConnectPayMerchant
import WalletConnectPayProvider
import WalletConnectPaySandbox

/// A merchant's server from the order to the refund, at a sandbox on this machine: makes a payment, reads the webhooks
/// about it, refunds one payment and cancels another. Run it with `swift run merchant-checkout`.
@main
struct MerchantExample {
    static func main() async throws {
        // The data of the dashboard: a merchant, a key, a secret for webhooks.
        let secret = WalletConnectPaySandbox.webhookSecret
        let key = try WalletConnectPayMerchant.Key(WalletConnectPaySandbox.testKey)
        let clock = SystemPaymentClock()

        // The server that receives webhooks. It needs no network access.
        let shop = Shop(
            try WalletConnectPayMerchant(
                merchantID: WalletConnectPaySandbox.merchantID, key: key,
                webhookSecrets: [WalletConnectPayMerchant.WebhookSecret(secret)]))
        let inbox = try LoopbackServer(shop)
        defer { inbox.stop() }

        var configuration = WalletConnectPaySandbox.Configuration()
        configuration.pollInMs = 10
        configuration.testWebhooks = WalletConnectPaySandbox.WebhookEndpoint(
            url: try inbox.baseURL.appending(["hooks"]))
        configuration.webhookTransport = StandardTransport()
        let sandbox = WalletConnectPaySandbox(configuration, random: SeededRandomSource(seed: 1))
        let service = try LoopbackServer(sandbox)
        defer { service.stop() }

        let merchant = try WalletConnectPayMerchant(
            merchantID: WalletConnectPaySandbox.merchantID, key: key, baseURL: service.baseURL.text)
        let client = merchant.client(over: StandardTransport(), clock: clock)
        let router = PaymentRouter(
            registry: try ProviderRegistry([merchant]), transport: StandardTransport(), journal: InMemoryJournal())

        // An order, and a link for its buyer.
        let price = try Money(minorUnits: 1250, currency: .usd)
        let returns = try CheckoutReturns(success: "https://shop.example/thanks", error: "https://shop.example/sorry")
        let order = WalletConnectPayMerchant.Order(reference: "ORDER-1", amount: price, returns: returns)
        let payment = try await client.createPayment(order)
        print("\(order.reference) over \(price): \(payment.rawStatus)")
        let again = try await client.createPayment(order)
        print("ordered again under the same key: \(again == payment ? "the same payment" : "another payment")")

        // The buyer pays, with a wallet that has no access to the shop, and is sent back to it.
        let wallet = PaymentRouter(
            registry: try ProviderRegistry([
                WalletConnectPayProvider(
                    configuration: try GatewayConfiguration(
                        credentials: .apiKey(Redacted("wallet")), baseURL: service.baseURL.text))
            ]), transport: StandardTransport(), journal: InMemoryJournal())
        print("the buyer's wallet: \(word(try await wallet.pay(payment.link, as: SandboxWallet().payer())))")
        let page = await sandbox.returnURL(of: payment.reference.id)
        print("the buyer comes back to \(page?.prefix { $0 != "?" } ?? "no page"), which proves nothing")
        print("asked: \(word(try await client.report(of: payment.reference, waiting: .seconds(10))))")

        // The webhooks that the service has sent meanwhile.
        await sandbox.finishDeliveries()
        for event in shop.events {
            try event.check(against: payment, order)
            print("webhook \(event.version): \(event.kind.rawValue), \(shop.take(event).rawValue)")
        }
        if let first = shop.events.first { print("webhook 0 once more: \(shop.take(first).rawValue)") }
        let forged = HTTPRequest(
            .post, try inbox.baseURL.appending(["hooks"]), body: Array(#"{"type":"payment.succeeded"}"#.utf8))
        print("a forged one: HTTP \(try await StandardTransport().send(forged).status)")

        // Refund the payment, once.
        let refund = RefundRequest(of: payment.reference, amount: price, id: "credit-1")
        for _ in 0..<2 { print("refund of \(price): \(word(try await router.refund(refund)))") }
        let half = RefundRequest(
            of: payment.reference, amount: try Money(minorUnits: 625, currency: .usd), id: "credit-2")
        do { _ = try await router.refund(half) } catch { print("refund of \(half.amount): \(error.message)") }

        // And an order that is not paid.
        let second = try await client.createPayment(.init(reference: "ORDER-2", amount: price))
        print("ORDER-2: \(word(try await router.cancel(second.reference)))")
        for row in try await client.payments().payments {
            print("listed: \(row.reference), \(row.price?.description ?? "no price"), \(row.rawStatus)")
        }
        let marks = await sandbox.ledger.events(of: payment.reference.id).count { event in
            if case .refunded = event { true } else { false }
        }
        print(
            "the sandbox refunded \(marks) time, and took money \(await sandbox.ledger.captures(of: payment.reference.id)) time"
        )
    }

    private static func word(_ outcome: PaymentOutcome) -> String {
        switch outcome {
        case .succeeded(let receipt): receipt.reference.isRefund ? "made" : "paid"
        case .cancelled: "cancelled"
        default: "\(outcome)"
        }
    }

    /// The service's own report, which no router has compared with anything.
    private static func word(_ report: ServiceReport) -> String {
        if case .succeeded = report { "paid" } else { "\(report)" }
    }
}
