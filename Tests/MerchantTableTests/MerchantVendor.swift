import CitconMerchant
import CitconProvider
import CitconSandbox
import PaymentCore
import PaymentTesting
import PayrailsMerchant
import PayrailsSandbox
import TestSupport
import WalletConnectPayMerchant
import WalletConnectPaySandbox

/// A vendor with a merchant's side.
enum MerchantVendor: String, Sendable, CaseIterable {
    case citcon, payrails, walletConnectPay

    /// Returns a payment in the state that `verb` needs; nil where the service does not have it.
    func bench(_ verb: MerchantVerb) async throws -> MerchantBench? {
        switch self {
        case .citcon: try await Self.citcon(verb)
        case .payrails: try await Self.payrails(verb)
        case .walletConnectPay: verb == .capture ? nil : try await Self.walletConnectPay(verb)
        }
    }

    private static func citcon(_ verb: MerchantVerb) async throws -> MerchantBench {
        let clock = VirtualClock()
        let sandbox = CitconSandbox(clock: clock, random: SeededRandomSource(seed: 3))
        let charge = await sandbox.createCharge(.authorizeOnly, ipn: "https://shop.example/ipn")
        await sandbox.pay(charge)
        if verb == .refund { await sandbox.capture(charge) }
        let items = try PaymentLink(charge.link).queryItems
        let price = try Money(
            minorUnitText: String(items.values("amount").first ?? ""),
            currency: .fiat(try FiatCurrency(String(items.values("currency").first ?? ""))))
        var bench = try MerchantBench(
            CitconMerchant(endpoint: try CitconEndpoint(.UAT), privateKey: CitconSandbox.privateKey),
            PaymentReference(provider: CitconMerchant.id, id: charge.reference), price, sandbox, clock,
            notifications: { await sandbox.notifications.map { IncomingNotification(headers: [:], body: $0.body) } },
            moved: { verb in
                let ledger = await sandbox.ledger
                switch verb {
                case .capture:
                    return ledger.units(of: charge.id) { if case .captured(_, let text, _) = $0 { text } else { nil } }
                case .cancel: return ledger.cancellations(of: charge.id)
                case .refund: return ledger.refunds(of: charge.id)
                }
            })
        let faults = bench.faults
        bench.fail = { verb in
            let refusal = verb == .refund ? (406, "4202") : (400, "4000")
            faults.inject(
                .status(refusal.0, body: #"{"status":"fail","data":{"code":"\#(refusal.1)"}}"#), when: verb.isRequest)
        }
        return bench
    }

    private static func payrails(_ verb: MerchantVerb) async throws -> MerchantBench {
        let clock = VirtualClock()
        let known = PayrailsSandbox.Configuration()
        let sandbox = PayrailsSandbox(known, clock: clock, random: SeededRandomSource(seed: 3))
        let session = await sandbox.createSession()
        await sandbox.pay(session)
        if verb == .refund { await sandbox.capture(session) }
        var bench = try MerchantBench(
            PayrailsMerchant(
                endpoint: .staging,
                credentials: PayrailsCredentials(clientID: known.clientID, secret: known.clientSecret),
                captureMode: .manual, notificationSecrets: [known.webhookSecret], clock: clock),
            PaymentReference(provider: PayrailsMerchant.id, id: session.id),
            try Money(decimal: "99.00", currency: .eur), sandbox, clock,
            notifications: {
                await sandbox.notifications.map { IncomingNotification(headers: $0.headers, body: $0.body) }
            },
            moved: { verb in
                let ledger = await sandbox.ledger
                switch verb {
                case .capture: return await sandbox.captures(of: session)
                case .cancel: return ledger.cancellations(of: session.id)
                case .refund: return ledger.refunds(of: session.id)
                }
            })
        bench.fail = { await sandbox.failNext($0.rawValue) }
        bench.showLate = { await sandbox.showActions(after: .seconds(30)) }
        return bench
    }

    private static func walletConnectPay(_ verb: MerchantVerb) async throws -> MerchantBench {
        let clock = VirtualClock()
        var configuration = WalletConnectPaySandbox.Configuration()
        configuration.liveWebhooks = .init()
        let sandbox = WalletConnectPaySandbox(configuration, clock: clock, random: SeededRandomSource(seed: 3))
        let payment = await sandbox.createPayment(.paidAtOnce)
        if verb == .refund { await sandbox.pay(payment.id) }
        var bench = try MerchantBench(
            try WalletConnectPayMerchant(
                merchantID: WalletConnectPaySandbox.merchantID,
                key: WalletConnectPayMerchant.Key(WalletConnectPaySandbox.liveKey),
                webhookSecrets: [try WalletConnectPayMerchant.WebhookSecret(WalletConnectPaySandbox.webhookSecret)],
                clock: clock),
            PaymentReference(provider: WalletConnectPayMerchant.id, id: payment.id),
            try Money(minorUnits: 1250, currency: .usd), sandbox, clock,
            notifications: {
                var all: [IncomingNotification] = []
                for webhook in await sandbox.webhooks { all.append(await sandbox.notification(webhook)) }
                return all
            },
            moved: { verb in
                let ledger = await sandbox.ledger
                return verb == .refund ? ledger.refunds(of: payment.id) : ledger.cancellations(of: payment.id)
            })
        bench.refundsParts = false
        let faults = bench.faults
        bench.fail = { verb in
            let code = verb == .refund ? "payment_not_succeeded" : "invalid_state"
            faults.inject(.status(400, body: #"{"code":"\#(code)","message":"no"}"#), when: verb.isRequest)
        }
        return bench
    }
}
