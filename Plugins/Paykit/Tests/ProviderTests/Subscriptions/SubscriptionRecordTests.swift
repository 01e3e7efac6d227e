import PaymentCore
import PaymentTesting
import Testing

@testable import PaykitProvider

@Suite("What subscriber and provider agree to")
struct SubscriptionRecordTests {
    private let random = SeededRandomSource(seed: 5)
    private let subscriber: PubkyKeyPair
    private let provider: PubkyKeyPair

    init() throws { (subscriber, provider) = (try PubkySamples.pair(0x11), try PubkySamples.pair(0x22)) }

    /// Proposed by the provider at 1000, accepted by the subscriber at 2000, paid from 3000 on.
    private func agreed(endsAt: Int64? = nil) throws -> PaykitSubscriptionRecord {
        var record = try PaykitSubscriptionRecord(
            proposing: SubscriptionWireTests.subscription(startsAt: 3000, endsAt: endsAt), by: provider, random: random,
            at: 1000)
        try record.accept(by: subscriber, random: random, at: 2000)
        return record
    }

    @Test("Proposed, received, accepted and taken: both sides hold the same, with both signatures")
    func agreement() throws {
        var theirs = try PaykitSubscriptionRecord(
            proposing: SubscriptionWireTests.subscription(startsAt: 3000), by: provider, random: random, at: 1000)
        var (nonces, others) = (PaykitNonces(), PaykitNonces())
        let proposal = try #require(theirs.proposal)
        var mine = try PaykitSubscriptionRecord(
            receiving: proposal, as: subscriber.publicKey, nonces: &nonces, at: 1500)
        #expect(mine.status(at: 1500) == .proposed && mine.subscription(at: 5000) == nil)
        let accepted = try mine.accept(by: subscriber, random: random, at: 2000)
        try theirs.take(accepted, nonces: &others, at: 2100)
        #expect(theirs.agreements == mine.agreements && mine.proposal == nil && theirs.proposal == nil)
        #expect([mine.status(at: 2999), mine.status(at: 3000)] == [.upcoming, .active])
        // Late or repeated, it changes nothing.
        #expect(throws: PaykitSubscriptionDefect.self) { try theirs.take(accepted, nonces: &others, at: 2200) }
        #expect(throws: PaykitSubscriptionDefect.usedNonce) {
            try PaykitSubscriptionRecord(receiving: proposal, as: subscriber.publicKey, nonces: &nonces, at: 1600)
        }
    }

    @Test("No party accepts their own proposal, nor for another party, nor an expired one")
    func notAccepted() throws {
        var record = try PaykitSubscriptionRecord(
            proposing: SubscriptionWireTests.subscription(), by: provider, random: random, at: 1000)
        let stranger = try PubkySamples.pair(0x33)
        #expect(throws: PaykitSubscriptionDefect.self) { try record.accept(by: provider, random: random, at: 1500) }
        #expect(throws: PaykitSubscriptionDefect.foreignKey) {
            try record.accept(by: stranger, random: random, at: 1500)
        }
        let late: Int64 = 1000 + 7 * 86_400 + 1
        #expect(throws: PaykitSubscriptionDefect.expiredSignature) {
            try record.accept(by: subscriber, random: random, at: late)
        }
        #expect(record.status(at: late) == .lapsed && record.agreements.isEmpty)
        try record.decline()
        #expect(record.status(at: 1500) == .declined)
        #expect(throws: PaykitSubscriptionDefect.self) { try record.accept(by: subscriber, random: random, at: 1500) }
    }

    @Test("A proposal signed by the wrong side, by both, by no one or in the wrong place is not received")
    func forged() throws {
        let subscription = try SubscriptionWireTests.subscription()
        func signature(_ pair: PubkyKeyPair) throws -> PaykitSubscriptionSignature {
            try PaykitSubscriptionSignature(of: subscription, by: pair, random: random, at: 1000)
        }
        let (mine, others) = (try signature(subscriber), try signature(provider))
        for signed in [
            PaykitSignedSubscription(subscription), PaykitSignedSubscription(subscription, subscriberSignature: mine),
            PaykitSignedSubscription(subscription, subscriberSignature: others),
            PaykitSignedSubscription(subscription, providerSignature: mine),
            PaykitSignedSubscription(subscription, subscriberSignature: mine, providerSignature: others),
        ] {
            var nonces = PaykitNonces()
            #expect(throws: PaykitSubscriptionDefect.self) {
                try PaykitSubscriptionRecord(receiving: signed, as: subscriber.publicKey, nonces: &nonces, at: 1000)
            }
        }
        var nonces = PaykitNonces()
        let stranger = try PubkySamples.pair(0x33).publicKey
        #expect(throws: PaykitSubscriptionDefect.foreignKey) {
            try PaykitSubscriptionRecord(
                receiving: PaykitSignedSubscription(subscription, providerSignature: others), as: stranger,
                nonces: &nonces, at: 1000)
        }
    }

    @Test("An acceptance of something else than what was proposed is none")
    func swapped() throws {
        var record = try PaykitSubscriptionRecord(
            proposing: SubscriptionWireTests.subscription(amount: "1000"), by: provider, random: random, at: 1000)
        let dearer = try SubscriptionWireTests.subscription(amount: "2000")
        let signed = PaykitSignedSubscription(
            dearer,
            subscriberSignature: try PaykitSubscriptionSignature(of: dearer, by: subscriber, random: random, at: 1000),
            providerSignature: record.proposal?.providerSignature)
        var nonces = PaykitNonces()
        #expect(throws: PaykitSubscriptionDefect.self) { try record.take(signed, nonces: &nonces, at: 1100) }
        // Both have signed the proposal, and the document between the signatures was exchanged.
        var unsigned = try #require(record.proposal)
        let exchanged = PaykitSignedSubscription(
            dearer,
            subscriberSignature: try PaykitSubscriptionSignature(
                of: unsigned.subscription, by: subscriber, random: random, at: 1000),
            providerSignature: unsigned.providerSignature)
        #expect(throws: PaykitSubscriptionDefect.self) { try record.take(exchanged, nonces: &nonces, at: 1100) }
        #expect(throws: PaykitSubscriptionDefect.self) { try record.take(unsigned, nonces: &nonces, at: 1100) }
        unsigned.subscriberSignature = signed.subscriberSignature
        #expect(throws: PaykitSubscriptionDefect.signature) { try record.take(unsigned, nonces: &nonces, at: 1100) }
        #expect(record.status(at: 1100) == .proposed)
    }

    @Test(
        "Changes hold once both have signed them, from their day on",
        arguments: [
            (.upgrade(amount: "2000"), "2000", .monthly(dayOfMonth: 1)),
            (.downgrade(amount: "500"), "500", .monthly(dayOfMonth: 1)),
            (.billingDay(28), "1000", .monthly(dayOfMonth: 28)), (.frequency(.weekly), "1000", .weekly),
            (.method("onchain"), "1000", .monthly(dayOfMonth: 1)),
        ] as [(PaykitSubscriptionChange, String, PaykitFrequency)])
    func changes(_ change: PaykitSubscriptionChange, _ amount: String, _ frequency: PaykitFrequency) throws {
        var record = try agreed()
        try record.propose(change, from: 6000, by: subscriber, random: random, at: 4000)
        #expect(record.subscription(at: 9000)?.terms.amount == "1000", "one side alone changes nothing")
        #expect(throws: PaykitSubscriptionDefect.self) { try record.accept(by: subscriber, random: random, at: 4500) }
        try record.accept(by: provider, random: random, at: 5000)
        #expect(record.subscription(at: 5999)?.terms.amount == "1000")
        #expect(record.subscription(at: 6000)?.terms.amount == amount)
        #expect(record.subscription(at: 6000)?.terms.frequency == frequency)
        #expect(record.status(at: 6000) == .active)
    }

    @Test("Changes that are none are refused, and a change that is declined leaves all as it was")
    func noChanges() throws {
        var record = try agreed()
        for change in [
            PaykitSubscriptionChange.upgrade(amount: "1000"), .upgrade(amount: "999"), .upgrade(amount: "x"),
            .upgrade(amount: "5001"), .downgrade(amount: "1001"), .downgrade(amount: "0"), .downgrade(amount: "-1"),
            .billingDay(0), .billingDay(29), .method("noise"), .frequency(.monthly(dayOfMonth: 32)),
        ] {
            #expect(throws: PaykitSubscriptionDefect.self, "\(change)") {
                try record.propose(change, from: 6000, by: provider, random: random, at: 4000)
            }
        }
        #expect(throws: PaykitSubscriptionDefect.self, "the past is not changed") {
            try record.propose(.upgrade(amount: "2000"), from: 3999, by: provider, random: random, at: 4000)
        }
        try record.propose(.upgrade(amount: "2000"), from: 6000, by: provider, random: random, at: 4000)
        try record.decline()
        #expect(record.status(at: 7000) == .active && record.subscription(at: 7000)?.terms.amount == "1000")
    }

    @Test("A change that turns it into another subscription is not received")
    func otherSubscription() throws {
        var record = try agreed()
        var nonces = PaykitNonces()
        func signed(_ subscription: PaykitSubscription) throws -> PaykitSignedSubscription {
            PaykitSignedSubscription(
                subscription,
                providerSignature: try PaykitSubscriptionSignature(
                    of: subscription, by: provider, random: random, at: 4000))
        }
        let other = try SubscriptionWireTests.subscription(id: "sub_other", startsAt: 6000)
        let early = try SubscriptionWireTests.subscription(amount: "2000", startsAt: 3000)
        for wrong in [other, early] {
            #expect(throws: PaykitSubscriptionDefect.self) {
                try record.receive(signed(wrong), as: subscriber.publicKey, nonces: &nonces, at: 4000)
            }
        }
        let good = try SubscriptionWireTests.subscription(amount: "2000", startsAt: 6000)
        try record.receive(signed(good), as: subscriber.publicKey, nonces: &nonces, at: 4000)
        try record.accept(by: subscriber, random: random, at: 4100)
        #expect(record.subscription(at: 6000)?.terms.amount == "2000")
    }

    @Test("Pausing and ending take one side; an end moves forward only; after it nothing is agreed to")
    func ending() throws {
        var record = try agreed(endsAt: 90_000)
        try record.pause(from: 4000, until: 5000)
        #expect([3999, 4000, 4999, 5000].map { record.status(at: $0) } == [.active, .paused, .paused, .active])
        try record.pause(from: 6000)
        #expect(record.status(at: 80_000) == .paused)
        try record.resume(at: 7000)
        #expect(record.status(at: 7000) == .active && record.status(at: 90_000) == .ended)
        try record.propose(.upgrade(amount: "2000"), from: 50_000, by: provider, random: random, at: 7500)
        try record.cancel(by: .subscriber, effectiveAt: 20_000, reason: "too dear")
        #expect([19_999, 20_000, 95_000].map { record.status(at: $0) } == [.active, .cancelled, .cancelled])
        #expect(throws: PaykitSubscriptionDefect.self) { try record.accept(by: subscriber, random: random, at: 8000) }
        #expect(throws: PaykitSubscriptionDefect.self) { try record.cancel(by: .provider, effectiveAt: 30_000) }
        try record.cancel(by: .provider, effectiveAt: 10_000)
        #expect(record.status(at: 10_000) == .cancelled && record.cancellation?.side == .provider)
        #expect(throws: PaykitSubscriptionDefect.self) { try record.pause(from: 10_000) }
    }
}
