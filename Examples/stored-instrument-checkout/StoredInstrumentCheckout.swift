import PaymentCore
import PaymentLoopback
import PaymentTesting
import PaymentTransport
import PayrailsKit
import PayrailsMerchant
import PayrailsSandbox

/// Runs the guide's integration for stored instruments at a sandbox on this machine, with a payer who taps.
/// Run it with `swift run stored-instrument-checkout`.
@main
@MainActor
struct StoredInstrumentCheckout {
    static func main() async throws {
        let sandbox = PayrailsSandbox(random: SeededRandomSource(seed: 1))
        let server = try LoopbackServer(sandbox)
        defer { server.stop() }

        print("Multiple instruments")
        let controller = CheckoutViewController()
        try await controller.showStoredInstruments(initData(.paid, server))
        let row = controller.storedInstrumentsView.views[1]
        row.tap()
        row.tapPay()
        await row.payButton.waitUntilIdle()

        print("Single instrument, whose bank asks the payer")
        try await controller.showStoredInstruments(initData(.challenge, server))
        controller.showSingleInstrument()
        controller.singleInstrumentView?.tap()
        controller.singleInstrumentView?.tapPay()
        await controller.singleInstrumentView?.payButton.waitUntilIdle()

        print("Direct execution")
        for scenario in [PayrailsSandbox.Scenario.paid, .declined, .expiredSession] {
            print("- \(scenario.summary)")
            try await controller.showStoredInstruments(initData(scenario, server))
            await controller.payDirectly(with: .payPal)
        }

        print("Deleting")
        try await controller.showStoredInstruments(initData(.paid, server))
        controller.storedInstrumentsView.views[0].tapDelete()
        await controller.deletion?.value
        controller.showList()
    }

    /// Returns the session data that the merchant's server gets for its app; each scenario has its own customer.
    private static func initData(
        _ scenario: PayrailsSandbox.Scenario, _ server: LoopbackServer
    ) async throws -> Payrails.InitData {
        let merchant = PayrailsMerchant(
            endpoint: try PayrailsEndpoint(baseURL: server.baseURL.origin),
            credentials: PayrailsCredentials(clientID: "sandbox-merchant", secret: Redacted("sandbox-secret")),
            captureMode: .instant)
        orders += 1
        let order = PayrailsSessionOrder(
            order: "order-\(orders)", holder: "\(scenario)", amount: try Money(decimal: "99.00", currency: .eur),
            meta: ["sandboxScenario": .string(scenario.rawValue)])
        return try await merchant.client(over: StandardTransport(), clock: SystemPaymentClock()).open(order).initData
    }

    private static var orders = 0
}

/// The bank's page, and a payer who authenticates there.
struct Bank: Sendable {
    static let shared = Bank()

    func visit(_ page: PageRequest) async throws -> PaymentLink? {
        try await PayrailsSandbox.payer(transport: StandardTransport()).browser?(page)
    }
}
