package import PaymentCore
package import PaymentTesting
import PaymentWallet
import SandboxSupport
import WalletConnectPayMerchant
import WalletConnectPayProvider

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// WalletConnect Pay as tests and the simulator know it: the provider and the merchant's service at a sandbox with all
/// its scenarios, a wallet with accounts on each of its chains, and another merchant.
package struct SimulatedWalletConnectPay: SimulatedVendor {
    private static let gateway = "api.pay.walletconnect.com"
    private static let shortLinks = "https://pay.wct.me/"
    private static let page = "https://shop.example/thanks"
    private static let errorPage = "https://shop.example/sorry"
    private static let key = "canary-4f1c9e"
    private static let merchantKey = "wcp_canary-4f1c9e"
    private static let webhookSecret = webhookSecret("canary-webhook-secret")
    /// Made once, because keys are slow to compute.
    private static let wallet = DevelopmentWallet(seed: 7)

    package let scenarios =
        WalletConnectPaySandbox.Scenario.allCases.map { SimulatedScenario($0) } + [SimulatedScenario(.endless)]
    package let capabilities: Set<ProviderDescriptor.Capability> = [
        .completesRedirects, .refunds, .cancels, .verifiesNotifications,
    ]
    package let services: [any PaymentService]
    package let payer: Payer
    package let secrets = [key, webhookSecret]
    /// The service itself.
    package let sandbox: WalletConnectPaySandbox
    private let otherMerchants: WalletConnectPaySandbox

    package init(clock: any PaymentClock, random: any RandomSource) throws {
        func sandbox(_ secret: String) -> WalletConnectPaySandbox {
            var rules = WalletConnectPaySandbox.Configuration()
            rules.liveKeys = [Self.merchantKey]
            var endpoint = WalletConnectPaySandbox.WebhookEndpoint()
            endpoint.secrets = [Redacted(secret)]
            endpoint.spelling = .standard
            rules.liveWebhooks = endpoint
            return WalletConnectPaySandbox(rules, clock: clock, random: random)
        }
        self.sandbox = sandbox(Self.webhookSecret)
        otherMerchants = sandbox(Self.webhookSecret("another-merchant's-secret"))
        let secret = try WalletConnectPayMerchant.WebhookSecret(Redacted(Self.webhookSecret))
        services = [
            WalletConnectPayProvider(
                configuration: try GatewayConfiguration(credentials: .apiKey(Redacted(Self.key))),
                returns: [try CheckoutReturns(success: Self.page, error: Self.errorPage)]),
            try WalletConnectPayMerchant(
                id: WalletConnectPayProvider.id, merchantID: WalletConnectPaySandbox.merchantID,
                key: WalletConnectPayMerchant.Key(Redacted(Self.merchantKey)), webhookSecrets: [secret], clock: clock),
        ]
        payer = SandboxWallet(Self.wallet, random: random).payer()
    }

    private static func webhookSecret(_ text: String) -> String { "whsec_" + Data(text.utf8).base64EncodedString() }

    package var hosts: [String: any SandboxService] { [Self.gateway: sandbox] }

    package func makePayment(
        _ scenario: SimulatedScenario, over amount: Money?
    ) async throws -> any SimulatedPayment {
        let known = WalletConnectPaySandbox.Scenario(rawValue: scenario.name) ?? .endless
        guard let made = await sandbox.createPayment(known, over: amount) else {
            let asked = amount.map { ", not in \($0.currency)" } ?? ""
            throw PaymentError(.requestRefused, "the scenarios are priced in dollars\(asked)")
        }
        let paid = await sandbox.createPayment(.alreadyPaid)
        await otherMerchants.pay(otherMerchants.createPayment(.paidAtOnce).id)
        return GatewayPayment(
            id: made.id, link: made.link, price: await sandbox.facts(of: made.id).amount, sandbox: sandbox,
            paid: paid.id, otherMerchants: otherMerchants)
    }

    /// Only the service resolves a short link, which arrives encoded as a whole.
    package func id(of reference: String) -> String {
        let text = PercentCoding.decode(reference) ?? reference
        return text.hasPrefix(Self.shortLinks) ? String(text.dropFirst(Self.shortLinks.count)) : reference
    }

    private struct GatewayPayment: SimulatedPayment {
        let id: String
        let link: String
        let price: Money?
        let sandbox: WalletConnectPaySandbox
        /// Another payment at the service, which is paid.
        let paid: String
        let otherMerchants: WalletConnectPaySandbox

        var reference: PaymentReference { PaymentReference(provider: WalletConnectPayProvider.id, id: id) }
        var isForEveryDevice: Bool { true }

        /// The usual link, the one with a path, one inside a pairing, the bare id, and the short link that the service
        /// resolves.
        var links: [String] {
            let topic = "7f6e504bfad60b485450578e05678441fa7f0d2f2a2f1d2e3f4a5b6c7d8e9f00"
            let pairing = "wc:\(topic)@2?relay-protocol=irn&symKey=" + String(repeating: "ab", count: 32)
            return [
                link, "https://pay.walletconnect.com/\(id)", pairing + "&pay=" + PercentCoding.encode(link), id,
                SimulatedWalletConnectPay.shortLinks + id,
            ]
        }

        func pay() async { await sandbox.pay(id) }

        func truth() async -> PaymentTruth { await sandbox.truth(of: id) }

        func isMoved(by request: HTTPRequest) -> Bool {
            let path = request.url.path.split(separator: "/")
            guard request.url.authority == SimulatedWalletConnectPay.gateway, path.last == "confirm", path.count >= 2
            else { return false }
            let name = PercentCoding.decode(String(path[path.count - 2])) ?? ""
            return name == id || name == SimulatedWalletConnectPay.shortLinks + id
        }

        func messages() async -> VendorMessages {
            typealias Vendor = SimulatedWalletConnectPay
            var messages = VendorMessages()
            messages.returns = [Vendor.page, Vendor.errorPage].map { "\($0)?payment_id=\(id)" }
            messages.foreignReturns = [
                "\(Vendor.page)?payment_id=\(paid)", "\(Vendor.page)?payment_id=\(paid)&pid=\(id)",
            ]
            messages.notifications = await sandbox.incoming(about: id)
            messages.staleNotifications = await sandbox.incoming(about: id, age: 301)
            messages.foreignNotifications = await otherMerchants.incoming()
            return messages
        }
    }
}

extension WalletConnectPaySandbox {
    /// The webhooks about a payment, or about all, as they would arrive after `age` seconds.
    fileprivate func incoming(about payment: String? = nil, age: Int64 = 0) -> [IncomingNotification] {
        webhooks.filter { payment == nil || $0.payment == payment }.map { notification($0, age: age) }
    }

    /// A coin that the wallet sent is not a capture of the service's, although the service records it: it is the same
    /// money.
    fileprivate func truth(of id: String) -> PaymentTruth {
        guard let payment = try? payment(id) else { return PaymentTruth() }
        let events = ledger.events(of: id).filter { event in
            if case .captured(_, let amount, _) = event { !Self.isSentByWallet(amount) } else { true }
        }
        var truth = PaymentTruth(events)
        truth.isPaid = events.contains(.settled) || payment.status == .succeeded
        truth.isReturned = events.contains(.failed)
        truth.isFinal = payment.status.isFinal
        truth.takers = Set(
            events.compactMap { event in if case .captured(let option, _, _) = event { option } else { nil } })
        truth.transactions = payment.transfer.map { [$0.transactionID] } ?? []
        truth.amounts =
            payment.transfer.flatMap { transfer in
                guard let value = transfer.amount["value"]?.string, let unit = transfer.amount["unit"]?.string,
                    let currency = try? Currency(unit: unit)
                else { return nil }
                return try? Money(minorUnitText: value, currency: currency, exponent: 0)
            }.map { [$0] } ?? []
        return truth
    }

    private static func isSentByWallet(_ amount: String) -> Bool {
        amount.contains("caip19/eip155:") && amount.hasSuffix("/slip44:60")
    }
}

extension WalletConnectPaySandbox.Scenario {
    /// The settlement never ends.
    fileprivate static let endless = Self("endless", "never settles", ends: .pending, .init(pace: .never))
}

extension SimulatedScenario {
    init(_ scenario: WalletConnectPaySandbox.Scenario) {
        let ending: Ending =
            switch scenario.expectedOutcome {
            case .paid: .paid
            // A slow settlement ends paid.
            case .pending: scenario == .endless ? .open : .paid
            case .declined: .declined
            case .expired: .expired
            case .cancelled: .cancelled
            default: scenario == .unknownStatus ? .open : .unknown
            }
        // A sandbox lists it by what its payer sees at first.
        let group: String? =
            switch scenario.statedOutcome {
            case .pending: Ending.open.heading
            case .unknown: Ending.unknown.heading
            default: nil
            }
        self.init(scenario.rawValue, scenario.summary, ending: ending, group: group)
    }
}
