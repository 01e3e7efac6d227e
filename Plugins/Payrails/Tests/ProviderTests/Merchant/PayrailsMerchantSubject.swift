import PaymentCore
import PaymentTesting
import PayrailsMerchant
import PayrailsSandbox
import TestSupport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

enum Subjects {
    static let secret = "canary-4f1c9e"

    /// The merchant's side of Payrails, without a payer's provider. Its payment is authorised, which is the state that
    /// merchants can cancel; to pay it is to capture it.
    static func payrailsMerchant() -> ConformanceSubject {
        let time = BorrowedClock()
        let (key, mark) = ("key-\(secret)", "mark-\(secret)")
        let merchant = PayrailsMerchant(
            endpoint: .production,
            credentials: PayrailsCredentials(clientID: "sandbox-merchant", secret: Redacted(key)), captureMode: .manual,
            notificationSecrets: [Redacted(mark)], clock: time)
        return ConformanceSubject(
            merchant, capabilities: [.captures, .refunds, .cancels, .verifiesNotifications], canaries: [key, mark]
        ) { behaviour, clock, random in
            guard behaviour == .payable else { return nil }
            time.borrow(clock)
            @Sendable func shop(
                _ mark: String, _ clock: any PaymentClock
            ) async -> (sandbox: PayrailsSandbox, session: PayrailsSandbox.Session) {
                var pace = PayrailsSandbox.Configuration()
                pace.clientSecret = Redacted(key)
                pace.webhookSecret = Redacted(mark)
                let sandbox = PayrailsSandbox(pace, clock: clock, random: random)
                let session = await sandbox.createSession()
                await sandbox.pay(session)
                return (sandbox, session)
            }
            @Sendable func mail(_ sandbox: PayrailsSandbox) async -> [IncomingNotification] {
                await sandbox.notifications.map { IncomingNotification(headers: $0.headers, body: $0.body) }
            }
            let (sandbox, session) = await shop(mark, clock)
            var sale = ConformanceSubject.Sale(
                PaymentReference(provider: PayrailsMerchant.id, id: session.id),
                price: try Money(decimal: "99.00", currency: .eur),
                refunds: {
                    await sandbox.ledger.events(of: session.id).compactMap { event in
                        guard case .refunded(let amount) = event else { return nil }
                        return units(amount)
                    }
                },
                cancellations: { await sandbox.ledger.events(of: session.id).count { $0 == .cancelled } },
                pay: { await sandbox.capture(session) })
            sale.captures = ConformanceSubject.Sale.Captures(
                authorize: {}, made: { await sandbox.captures(of: session) })
            return ConformanceSubject.Backend(
                services: ["api.payrails.io": sandbox], sale: sale,
                notifications: ConformanceSubject.NotificationFixture(
                    sent: { await mail(sandbox) },
                    foreign: {
                        let (other, session) = await shop("mark-of-somebody-else", clock)
                        await other.capture(session)
                        return await mail(other)
                    },
                    stale: {
                        let (old, session) = await shop(mark, OffsetClock(clock, by: -86_401))
                        await old.capture(session)
                        return await mail(old)
                    })
            ) {
                // A payment that was cancelled after its capture is refunded.
                let events = await sandbox.ledger.events(of: session.id)
                return events.contains(.cancelled) ? [] : events.filter { $0 == .settled }.map { _ in 9900 }
            }
        }
    }

    /// The minor units of `33.00 EUR`.
    private static func units(_ text: String) -> UInt128? {
        text.split(separator: " ").first.flatMap { try? Money(decimal: String($0), currency: .eur) }?.minorUnits
    }
}
