import PaymentCore
import PaymentTesting
import PaymentWallet
import TestSupport
import WalletConnectPayMerchant
import WalletConnectPaySandbox

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

enum Subjects {
    static let secret = "canary-4f1c9e"

    /// WalletConnect Pay's merchant, without a payer's provider.
    static func walletConnectPayMerchant() throws -> ConformanceSubject {
        let key = "wcp_\(secret)"
        let webhookSecret = "whsec_" + Data("canary-webhook-secret".utf8).base64EncodedString()
        let time = BorrowedClock()
        let merchant = try WalletConnectPayMerchant(
            merchantID: WalletConnectPaySandbox.merchantID, key: WalletConnectPayMerchant.Key(Redacted(key)),
            webhookSecrets: [WalletConnectPayMerchant.WebhookSecret(Redacted(webhookSecret))], clock: time)
        return ConformanceSubject(
            merchant, capabilities: [.refunds, .cancels, .verifiesNotifications], canaries: [secret, webhookSecret]
        ) { behaviour, clock, random in
            guard behaviour == .payable else { return nil }
            time.borrow(clock)
            @Sendable func shop(
                _ secret: String
            ) async -> (sandbox: WalletConnectPaySandbox, payment: WalletConnectPaySandbox.Payment) {
                var pace = WalletConnectPaySandbox.Configuration()
                pace.liveKeys = [key]
                pace.lifetime = 24 * 3600
                var endpoint = WalletConnectPaySandbox.WebhookEndpoint()
                endpoint.secrets = [Redacted(secret)]
                endpoint.spelling = .standard
                pace.liveWebhooks = endpoint
                let sandbox = WalletConnectPaySandbox(pace, clock: clock, random: random)
                return (sandbox, await sandbox.createPayment(.paidAtOnce))
            }
            @Sendable func mail(_ sandbox: WalletConnectPaySandbox, late: Int64 = 0) async -> [IncomingNotification] {
                var mail: [IncomingNotification] = []
                for webhook in await sandbox.webhooks { mail.append(await sandbox.notification(webhook, age: late)) }
                return mail
            }
            let (sandbox, payment) = await shop(webhookSecret)
            let sale = ConformanceSubject.Sale(
                PaymentReference(provider: WalletConnectPayMerchant.id, id: payment.id),
                price: try Money(minorUnits: 1250, currency: .usd),
                refunds: {
                    await sandbox.ledger.events(of: payment.id).compactMap { event in
                        guard case .refunded(let amount) = event else { return nil }
                        return amount.split(separator: " ").first.flatMap { UInt128($0) }
                    }
                },
                cancellations: { await sandbox.ledger.events(of: payment.id).count { $0 == .cancelled } },
                pay: { await sandbox.pay(payment.id) })
            return ConformanceSubject.Backend(
                services: ["api.pay.walletconnect.com": sandbox], sale: sale,
                notifications: ConformanceSubject.NotificationFixture(
                    sent: { await mail(sandbox) },
                    foreign: {
                        let other = "whsec_" + Data("somebody-elses-secret".utf8).base64EncodedString()
                        let (sandbox, payment) = await shop(other)
                        await sandbox.pay(payment.id)
                        return await mail(sandbox)
                    },
                    stale: {
                        await sandbox.pay(payment.id)
                        return await mail(sandbox, late: 301)
                    })
            ) {
                await sandbox.ledger.events(of: payment.id).compactMap { event -> UInt128?? in
                    guard case .captured(_, let amount, _) = event else { return nil }
                    return .some(amount.split(separator: " ").first.flatMap { UInt128($0) })
                }
            }
        }
    }
}
