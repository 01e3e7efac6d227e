import CitconKit
import CitconSandbox
import PaymentCore
import PaymentLoopback
import PaymentTesting
import PaymentTransport

/// Pays orders with the code of the vendor's guide, at a sandbox on this machine.
///
/// Only the import, `setBaseURL`, which leads to the sandbox, and `setLauncher`, which opens wallets and pages, here as
/// a simulated payer, differ from the guide. Run it with `swift run citcon-order`.
@main
struct OrderExample {
    static func main() async throws {
        let sandbox = CitconSandbox(random: SeededRandomSource(seed: 1))
        let server = try LoopbackServer(sandbox)
        defer { server.stop() }
        let manager = CPayManager.sharedInstance()
        try manager.setBaseURL(server.baseURL.origin + "/v1/")
        manager.setReturnPlaces(CPayReturnPlaces(bundleIDs: ["com.citcon.citconpay"]))
        let checkout = Checkout(accessToken: await sandbox.accessToken().reveal())
        let received = checkout.observe()

        let paying = CitconSandbox.payer(.pays, at: server.baseURL, over: StandardTransport())
        manager.setLauncher(paying.citconLauncher)
        await run("WeChat Pay", .wechatPay, sandbox, received) { checkout.payWithWeChat($0) }
        await run("Alipay", .alipay, sandbox, received) { checkout.payWithAlipay($0) }
        await run("Card with 3-D Secure", .cardWithProof, sandbox, received) { checkout.payByCard($0) }
        await run("PayPal, captured later", .authorizeOnly, sandbox, received) { checkout.payWithPayPal($0) }
        await run("Alipay, cancelled", .cancelledInAlipay, sandbox, received) { checkout.payWithAlipay($0) }
        await run("Card, declined", .declined, sandbox, received) { checkout.payByCard($0) }

        // A payer who kills the wallet never comes back. The vendor's SDK stays silent then; here the application can
        // stop waiting.
        let leaving = CitconSandbox.payer(.vanishes, at: server.baseURL, over: StandardTransport())
        let (opened, isOpen) = AsyncStream<Void>.makeStream()
        manager.setLauncher { launch in
            defer { isOpen.yield() }
            return await leaving.citconLauncher(launch)
        }
        await run("WeChat Pay, and the payer does not come back", .wechatPay, sandbox, received) { charge in
            checkout.payWithWeChat(charge)
            for await _ in opened { break }
            print("  the application waits no longer")
            CPayManager.sharedInstance().cancelPending(reference: charge.reference)
        }
    }

    /// Creates a charge as the merchant's server, pays it, and waits until both results are there.
    private static func run(
        _ title: String, _ scenario: CitconSandbox.Scenario, _ sandbox: CitconSandbox,
        _ received: AsyncStream<Void>, _ pay: @Sendable (Checkout.Charge) async -> Void
    ) async {
        print(title)
        let charge = await sandbox.createCharge(scenario)
        await pay(Checkout.Charge(reference: charge.reference, chargeToken: charge.token, amount: 1250))
        for await _ in received { break }
        print("  The sandbox took money \(await sandbox.ledger.captures(of: charge.id)) times.")
    }
}
