import PaymentCore
import PaymentLoopback
import PaymentSandbox
import PaymentTransport
import PayrailsKit

/// Runs the guide's integration for stored instruments at a sandbox on this machine, with a payer who taps.
@main
@MainActor
struct StoredInstrumentCheckout {
    static func main() async throws {
        let sandbox = PayrailsSandbox(random: SeededRandomSource(seed: 1))
        let server = try LoopbackServer(sandbox)
        defer { server.stop() }

        print("Multiple instruments")
        let controller = CheckoutViewController()
        try await controller.showStoredInstruments(initData(.paid, sandbox, server))
        let row = controller.storedInstrumentsView.views[1]
        row.tap()
        row.tapPay()
        await row.payButton.waitUntilIdle()

        print("Single instrument, whose bank asks the payer")
        try await controller.showStoredInstruments(initData(.challenge, sandbox, server))
        controller.showSingleInstrument()
        controller.singleInstrumentView?.tap()
        controller.singleInstrumentView?.tapPay()
        await controller.singleInstrumentView?.payButton.waitUntilIdle()

        print("Direct execution")
        for scenario in [PayrailsSandbox.Scenario.paid, .declined, .expiredSession] {
            print("- \(scenario.summary)")
            try await controller.showStoredInstruments(initData(scenario, sandbox, server))
            await controller.payDirectly(with: .payPal)
        }

        print("Deleting")
        try await controller.showStoredInstruments(initData(.paid, sandbox, server))
        controller.storedInstrumentsView.views[0].tapDelete()
        await controller.deletion?.value
        controller.showList()
    }

    /// What the merchant's server would get for its app.
    private static func initData(
        _ scenario: PayrailsSandbox.Scenario, _ sandbox: PayrailsSandbox, _ server: LoopbackServer
    ) async -> Payrails.InitData {
        let session = await sandbox.createSession(scenario, holder: "\(scenario)", base: server.baseURL)
        return Payrails.InitData(version: session.version, data: session.data.reveal())
    }
}

/// The page of the bank, and a payer who proves who they are there.
struct Bank: Sendable {
    static let shared = Bank()

    func visit(_ page: PageRequest) async throws -> PaymentLink? {
        try await PayrailsSandbox.payer(transport: StandardTransport()).browser?(page)
    }
}
