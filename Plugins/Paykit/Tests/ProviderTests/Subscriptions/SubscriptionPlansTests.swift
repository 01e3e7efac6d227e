import Foundation
import PaykitKit
import PaymentCore
import PaymentRecurring
import PaymentRouting
import PaymentTesting
import Synchronization
import TestSupport
import Testing

@testable import PaykitProvider

/// The terms that both sides agreed to, and their charges.
@Suite("Plans of what was agreed to")
struct SubscriptionPlansTests {
    private static let day: Int64 = 86_400
    private let random = SeededRandomSource(seed: 6)
    private let subscriber: PubkyKeyPair
    private let provider: PubkyKeyPair
    private let clock = VirtualClock(Date(timeIntervalSince1970: 0))
    private let store = InMemoryRecords()
    private let charged = Charged()
    private let scheduler: RecurringScheduler

    /// The charges: the amount of each day.
    private final class Charged: RecurringPayer {
        private let all = Mutex<[Int: [UInt128]]>([:])

        func amounts(_ days: Range<Int>) -> [[UInt128]] { all.withLock { all in days.map { all[$0] ?? [] } } }

        func pay(_ charge: RecurringCharge, of plan: RecurringPlan) async throws -> RecurringAnswer {
            let day = Int(charge.period.start.timeIntervalSince1970) / 86_400
            all.withLock { $0[day, default: []].append(charge.amount.minorUnits) }
            return .paid(transactionID: nil)
        }

        func fate(of charge: RecurringCharge, in plan: RecurringPlan) async throws -> RecurringAnswer? { nil }
    }

    init() throws {
        (subscriber, provider) = (try PubkySamples.pair(0x11), try PubkySamples.pair(0x22))
        scheduler = RecurringScheduler(store: store, payer: charged, clock: clock)
    }

    private var now: Int64 { Int64(clock.now.timeIntervalSince1970) }

    /// Daily, from the second day on.
    private func agreed(endsAt: Int64? = nil) throws -> PaykitSubscriptionRecord {
        var record = try PaykitSubscriptionRecord(
            proposing: SubscriptionWireTests.subscription(frequency: .daily, startsAt: Self.day, endsAt: endsAt),
            by: provider, random: random, at: 0)
        try record.accept(by: subscriber, random: random, at: 0)
        return record
    }

    private func keep(_ record: PaykitSubscriptionRecord) async throws {
        try await record.keepPlans(
            in: scheduler, paysByItself: true, policy: RecurringPolicy(.all, grace: .seconds(30 * 86_400)))
    }

    private func live(days: Int) async throws {
        for _ in 0..<days {
            try await scheduler.look()
            clock.advance(by: .seconds(Self.day))
        }
    }

    @Test("What the payee alone has raised is not charged, however often it is looked at")
    func raisedAlone() async throws {
        var record = try agreed()
        try await keep(record)
        try record.propose(.upgrade(amount: "5000"), from: 3 * Self.day, by: provider, random: random, at: 0)
        for _ in 0..<3 { try await keep(record) }
        try await live(days: 6)
        #expect(charged.amounts(0..<6) == [[], [1000], [1000], [1000], [1000], [1000]])
        try record.decline()
        try await keep(record)
        try await live(days: 1)
        #expect(charged.amounts(6..<7) == [[1000]])
    }

    @Test("A change costs from its day the amount that both have signed, also after days without a look")
    func changed() async throws {
        for isAway in [false, true] {
            let tests = try SubscriptionPlansTests()
            var record = try tests.agreed()
            try await tests.keep(record)
            try record.propose(.upgrade(amount: "3000"), from: 3 * Self.day, by: provider, random: random, at: 0)
            try record.accept(by: subscriber, random: random, at: 0)
            for _ in 0..<3 { try await tests.keep(record) }
            if isAway { tests.clock.advance(by: .seconds(5 * Self.day)) }
            try await tests.live(days: isAway ? 1 : 6)
            #expect(tests.charged.amounts(0..<6) == [[], [1000], [1000], [3000], [3000], [3000]])
        }
    }

    @Test("Of a change that another one has taken the place of nothing is charged")
    func replaced() async throws {
        var record = try agreed()
        for (amount, from) in [("4000", 5), ("3000", 3), ("2000", 3)] as [(String, Int64)] {
            let change: PaykitSubscriptionChange = .upgrade(amount: amount)
            try record.propose(change, from: from * Self.day, by: provider, random: random, at: 0)
            try record.accept(by: subscriber, random: random, at: 0)
            try await keep(record)
        }
        try await live(days: 7)
        #expect(charged.amounts(0..<7) == [[], [1000], [1000], [2000], [2000], [2000], [2000]])
    }

    @Test("What is cancelled or expires is charged until its end, and not after it")
    func ended() async throws {
        for (cancelled, expires) in [(4, nil), (nil, 4), (4, 5), (6, 4)] as [(Int64?, Int64?)] {
            let tests = try SubscriptionPlansTests()
            var record = try tests.agreed(endsAt: expires.map { $0 * Self.day })
            try await tests.keep(record)
            if let cancelled { try record.cancel(by: .provider, effectiveAt: cancelled * Self.day) }
            for _ in 0..<2 { try await tests.keep(record) }
            try await tests.live(days: 7)
            #expect(tests.charged.amounts(0..<7) == [[], [1000], [1000], [1000], [], [], []])
        }
    }

    @Test("What is paused is not charged, also where the pause is known only afterwards, and what follows it is")
    func paused() async throws {
        var record = try agreed()
        try record.pause(from: 2 * Self.day, until: 4 * Self.day)
        for _ in 0..<2 { try await keep(record) }
        try await live(days: 6)
        #expect(charged.amounts(0..<6) == [[], [1000], [], [], [1000], [1000]])
        try record.pause(from: 6 * Self.day)
        try await keep(record)
        try await live(days: 2)
        try record.resume(at: 8 * Self.day)
        try await keep(record)
        try await live(days: 2)
        #expect(charged.amounts(6..<10) == [[], [], [1000], [1000]])
    }

    @Test("A rule says what is paid without a question, and how long before the subscriber is notified")
    func rules() throws {
        let record = try agreed()
        let subscription = record.original
        var rule = PaykitAutoPayRule(
            subscriptionID: subscription.id, peer: provider.publicKey, methodID: subscription.terms.methodID)
        func plan() throws -> (isFree: Bool, notice: Duration) {
            let plan = try #require(try record.plans(by: rule).first)
            return (PaykitStandingOrder(plan)?.paysByItself == true, plan.policy.notice)
        }
        #expect(try plan() == (true, .seconds(3600)) && rule.limits.isEmpty)
        let amount = try subscription.terms.money()
        rule.mostPerPayment = amount
        rule.mostPerPeriod = amount
        rule.period = .week
        rule.notifiesBefore = .zero
        #expect(try plan() == (true, .zero))
        #expect(rule.limits == [SpendingLimit(amount, per: .week, on: .payee(provider.publicKey.text))])
        rule.mostPerPayment = try Money(minorUnits: amount.minorUnits - 1, currency: .satoshi)
        #expect(try !plan().isFree)
        rule.mostPerPayment = try Money(decimal: "9999999", currency: .eur)
        #expect(try !plan().isFree, "what cannot be compared is above any limit")
        rule.mostPerPayment = nil
        rule.notifiesBefore = .seconds(60)
        for change in [
            { (rule: inout PaykitAutoPayRule) in rule.isEnabled = false }, { $0.requiresConfirmation = true },
            { $0 = PaykitAutoPayRule(subscriptionID: "other", peer: $0.peer, methodID: $0.methodID) },
            {
                $0 = PaykitAutoPayRule(
                    subscriptionID: $0.subscriptionID, peer: self.subscriber.publicKey, methodID: $0.methodID)
            },
            { $0 = PaykitAutoPayRule(subscriptionID: $0.subscriptionID, peer: $0.peer, methodID: "onchain") },
        ] as [(inout PaykitAutoPayRule) -> Void] {
            let kept = rule
            change(&rule)
            #expect(try !plan().isFree, "\(rule)")
            rule = kept
        }
    }

    @Test("Cancelled before it begins, or not agreed to, it is never charged")
    func never() async throws {
        var record = try agreed()
        try await keep(record)
        try record.cancel(by: .subscriber, effectiveAt: 0)
        try await keep(record)
        let alone = try PaykitSubscriptionRecord(
            proposing: SubscriptionWireTests.subscription(id: "sub_alone", frequency: .daily, startsAt: 0),
            by: provider, random: random, at: 0)
        try await keep(alone)
        try await live(days: 4)
        #expect(charged.amounts(0..<4) == [[], [], [], []])
    }

    @Test("Subscriptions of other names, also ones that begin alike, are left alone")
    func others() async throws {
        let record = try agreed()
        for id in ["sub_test_1234", "x/sub_test_123", "sub_test"] {
            var other = try PaykitSubscriptionRecord(
                proposing: SubscriptionWireTests.subscription(id: id, frequency: .daily, startsAt: Self.day),
                by: provider, random: random, at: 0)
            try other.accept(by: subscriber, random: random, at: 0)
            try await keep(other)
        }
        try await keep(record)
        try await live(days: 2)
        #expect(charged.amounts(1..<2) == [[1000, 1000, 1000, 1000]])
    }
}
