import PaykitKit
import PaykitProvider
import PaykitSandbox
import PaymentCore
import PaymentTransport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A shop and a subscriber agree on a subscription, change it and end it. Neither has to be online when the other is:
/// each leaves sealed messages on its homeserver.
struct Agreement {
    let subscriber: PaykitClient
    let sandbox: PubkySandbox
    let network: PubkyNetwork

    func run() async throws {
        let shop = PaykitClient(
            configuration: PaykitClientConfiguration(network: network), transport: StandardTransport())
        try await shop.initialize(
            secretKeyHex: String(repeating: "08", count: 32), homeserverPubkey: sandbox.homeserver.text)
        guard let payee = await shop.user, let payer = await subscriber.user else { return }
        for client in [shop, subscriber] { try await client.publishMessageKey() }
        let (theirs, mine) = (
            try await shop.subscriptions(with: payer.text), try await subscriber.subscriptions(with: payee.text)
        )
        let now = Int64(Date().timeIntervalSince1970)
        try await theirs.propose(
            PaykitSubscription(
                id: "gym", subscriber: payer, provider: payee,
                terms: PaykitSubscriptionTerms(
                    amount: "3000", frequency: .custom(intervalSeconds: 30 * 86_400), description: "the gym"),
                createdAt: now, startsAt: now))
        try await theirs.poll()

        for record in try await mine.poll().changed {
            print("  proposed: \(record.proposal?.subscription.terms.description ?? "?")")
            try await mine.accept(record.id)
        }
        try await mine.poll()
        for record in try await theirs.poll().changed {
            print("  signed by both: \(record.agreements.count) agreement")
        }

        try await mine.propose(.upgrade(amount: "6000"), of: "gym", from: now + 60)
        try await mine.poll()
        for record in try await theirs.poll().changed {
            let proration = try PaykitSubscriptions.proration(of: record, to: "6000", from: now + 60)
            print("  an upgrade, to be paid now: \(proration?.payable?.minorUnitText ?? "?") sat")
            try await theirs.accept(record.id)
        }
        try await theirs.poll()
        try await mine.poll()
        try await mine.cancel("gym", effectiveAt: now + 86_400, reason: "moved away")
        try await mine.poll()
        for record in try await theirs.poll().changed {
            print("  ended by the subscriber: \(record.cancellation?.reason ?? "?")")
        }
    }
}
