import Foundation
import FuzzModel
import PaykitKit
import PaykitProvider
import PaymentCore
import PaymentRecurring

/// Subscriptions as peers write and sign them, and their plans.
struct PaykitSubscriptionTarget: FuzzTarget {
    static let name = "Paykit's subscriptions"
    static let share = 4

    let corpus: Corpus
    private(set) var counts: [String: Int] = [:]
    private let (subscriber, provider): (PubkyKeyPair, PubkyKeyPair)
    /// The content that both have signed, except the metadata, which signatures cover less strictly.
    private let known: Set<String>

    private struct Zero: RandomSource {
        func next() -> UInt64 { 0 }
    }

    init() throws {
        let (mine, theirs) = (
            try PubkyKeyPair(seed: [UInt8](repeating: 0x11, count: 32)),
            try PubkyKeyPair(seed: [UInt8](repeating: 0x22, count: 32))
        )
        (subscriber, provider) = (mine, theirs)
        let frequencies: [PaykitFrequency] = [
            .daily, .weekly, .monthly(dayOfMonth: 31), .yearly(month: 2, day: 29), .custom(intervalSeconds: 3600),
        ]
        let signed = try frequencies.enumerated().map { index, frequency in
            let subscription = try PaykitSubscription(
                id: "sub_\(index)", subscriber: mine.publicKey, provider: theirs.publicKey,
                terms: PaykitSubscriptionTerms(
                    amount: "\(1000 + index)", frequency: frequency, maximumPerPeriod: index % 2 == 0 ? nil : "5000",
                    description: "milk"),
                metadata: index == 0 ? [:] : ["note": "every day"], createdAt: 1000, startsAt: 1000,
                endsAt: index == 2 ? 9_999_999 : nil)
            return PaykitSignedSubscription(
                subscription,
                subscriberSignature: try PaykitSubscriptionSignature(
                    of: subscription, by: mine, random: Zero(), at: 1000),
                providerSignature: index == 1
                    ? nil : try PaykitSubscriptionSignature(of: subscription, by: theirs, random: Zero(), at: 1000))
        }
        known = Set(signed.map { Self.words($0.subscription) })
        corpus = Corpus(
            signed.map(\.text) + signed.map(\.subscription.text),
            pieces: [
                #""amount":"#, #""starts_at":"#, #""ends_at":"#, #""Monthly":{"day_of_month":0}"#,
                "9223372036854775807",
                "-1", "1e400", "null", "255", #""Custom":{"interval_seconds":18446744073709551615}"#, #""type":"#,
                #""subscriber":"#, mine.publicKey.text, theirs.publicKey.text, #""currency":"EUR""#, "253000000000",
            ])
    }

    private static func words(_ subscription: PaykitSubscription) -> String {
        "\(subscription.id) \(subscription.subscriber) \(subscription.provider) \(subscription.terms) "
            + "\(subscription.createdAt) \(subscription.startsAt) \(subscription.endsAt ?? -1)"
    }

    mutating func violation(_ input: [UInt8]) -> String? {
        guard let json = try? JSONValue(parsing: input), let signed = try? PaykitSignedSubscription(json) else {
            return nil
        }
        counts["signed", default: 0] += 1
        guard let again = try? JSONValue(parsing: Array(signed.text.utf8)),
            (try? PaykitSignedSubscription(again)) == signed
        else { return "a signed subscription changes when written" }
        return judge(signed)
    }

    private mutating func judge(_ signed: PaykitSignedSubscription) -> String? {
        let subscription = signed.subscription
        for (signature, pair) in [(signed.subscriberSignature, subscriber), (signed.providerSignature, provider)] {
            guard (try? signature?.verify(subscription, by: pair.publicKey, at: 2000)) != nil else { continue }
            counts["good signatures", default: 0] += 1
            guard known.contains(Self.words(subscription)) else { return "a signature is taken of what nobody signed" }
        }
        var nonces = PaykitNonces()
        if let record = try? PaykitSubscriptionRecord(
            receiving: signed, as: provider.publicKey, nonces: &nonces, at: 2000)
        {
            counts["received", default: 0] += 1
            guard record.agreements.isEmpty, (try? record.plans(paysByItself: true))?.isEmpty == true else {
                return "what one side has signed is charged"
            }
        }
        return plan(subscription)
    }

    private mutating func plan(_ subscription: PaykitSubscription) -> String? {
        guard var plan = try? subscription.plan(paysByItself: true) else { return nil }
        counts["plans", default: 0] += 1
        guard !plan.amount.isZero, plan.schedule.period(-1) == nil else { return "a plan is paid for nothing" }
        let start = plan.schedule.start
        for date in [start, start.addingTimeInterval(400 * 86_400), .distantFuture] {
            let charges = plan.open(at: date)
            guard charges.count <= RecurringPlan.mostOpened, charges.allSatisfy({ $0.period.start <= date }) else {
                return "periods are opened that have not begun"
            }
        }
        return nil
    }
}
