import Foundation
import PaymentCore
import PaymentReview
import PaymentRouting
import PaymentStore
import PaymentTesting
import TestSupport
import Testing
import WalletConnectPayMerchant
import WalletConnectPayProvider
import WalletConnectPaySandbox

typealias Shop = WalletConnectPayMerchant

/// A merchant's server, a buyer's wallet, and the sandbox that both call.
typealias ShopWorld = VendorWorld<WalletConnectPaySandbox, WalletConnectPayMerchant>

private let shopPrice = try! Money(minorUnits: 1250, currency: .usd)

extension ShopWorld {
    static var price: Money { shopPrice }
    static var returns: CheckoutReturns {
        try! CheckoutReturns(success: "https://shop.example/thanks", error: "https://shop.example/sorry")
    }

    init(
        live: Bool = true, merchantID: String = WalletConnectPaySandbox.merchantID,
        _ configure: (inout WalletConnectPaySandbox.Configuration) -> Void = { _ in }
    ) throws {
        let world = PayWorld(at: 1_800_000_000) { configuration in
            configuration.liveWebhooks = .init()
            configuration.testWebhooks = .init()
            configure(&configuration)
        }
        self = try world.serving(
            try Self.merchant(live: live, merchantID: merchantID, clock: world.clock), try Self.provider())
    }

    static func provider() throws -> WalletConnectPayProvider {
        // Nothing here can read Tron's transactions: the scenario is for applications that accept them.
        WalletConnectPayProvider(
            configuration: try GatewayConfiguration(credentials: .apiKey(Redacted("wallet"))), returns: [returns],
            reviewer: SigningReviewer(unreviewedMethods: ["tron_signTransaction"]))
    }

    static func merchant(
        id: ProviderID = WalletConnectPayMerchant.id, live: Bool = true,
        merchantID: String = WalletConnectPaySandbox.merchantID, clock: any PaymentClock,
        secrets: [Redacted<String>] = [WalletConnectPaySandbox.webhookSecret]
    ) throws -> WalletConnectPayMerchant {
        try WalletConnectPayMerchant(
            id: id, merchantID: merchantID,
            key: Shop.Key(live ? WalletConnectPaySandbox.liveKey : WalletConnectPaySandbox.testKey),
            webhookSecrets: try secrets.map { try Shop.WebhookSecret($0) }, clock: clock)
    }

    var merchant: WalletConnectPayMerchant { service }
    var client: WalletConnectPayMerchant.Client { merchant.client(over: wire, clock: clock) }
    var accounts: WalletConnectPayMerchant.Accounts { merchant.accounts(over: wire) }

    static func order(_ reference: String = "ORDER-1", _ price: Money = price) -> Shop.Order {
        Shop.Order(reference: reference, amount: price)
    }

    /// A new payment.
    func payment(_ reference: String = "ORDER-1") async throws -> Shop.CreatedPayment {
        try await client.createPayment(Self.order(reference))
    }

    /// A payment that a buyer's wallet has paid.
    func paid(_ reference: String = "ORDER-1") async throws -> Shop.CreatedPayment {
        let payment = try await payment(reference)
        _ = try await router.pay(payment.link, as: SandboxWallet().payer())
        return payment
    }

    func refund(_ payment: Shop.CreatedPayment, _ amount: Money = price) -> RefundRequest {
        RefundRequest(of: payment.reference, amount: amount, id: "credit-1")
    }

    /// Answers the next request to `path` with `status` and `body` instead of the service.
    func lie(_ path: String, _ body: JSONValue, status: Int = 200) {
        faults.inject(.status(status, body: body.text)) { $1 == path }
    }
}
