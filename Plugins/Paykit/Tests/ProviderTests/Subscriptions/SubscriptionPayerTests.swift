import Foundation
import PaykitKit
import PaymentCore
import PaymentRecurring
import PaymentTesting
import Synchronization
import TestSupport
import Testing

@testable import PaykitProvider

@Suite("Paying a subscription's period as the guide does")
struct SubscriptionPayerTests {
    private struct Offline: Error {}

    /// The payer's actions, in order.
    private let steps = Noted<String>()

    private func payer(
        endpoint: Result<String?, Offline> = .success("lnbc1"), mayPay: Result<Bool, Offline> = .success(true)
    ) -> PaykitSubscriptionPayer {
        let steps = steps
        return PaykitSubscriptionPayer(
            endpoint: { _, method in
                steps.note("endpoint \(method)")
                return try endpoint.get()
            },
            mayPay: { payment in
                steps.note("limit \(payment.amount.minorUnitText)")
                return try mayPay.get()
            },
            execute: { payment in
                steps.note("pay \(payment.endpoint.endpoint) as \(payment.reference.id.suffix(7))")
                return .paid(transactionID: nil)
            },
            fate: { reference, _ in
                steps.note("fate \(reference.id.suffix(7))")
                return nil
            })
    }

    private func plan(paysByItself: Bool = true) throws -> RecurringPlan {
        try SubscriptionWireTests.subscription(id: "sub_1", frequency: .daily).plan(paysByItself: paysByItself)
    }

    private func charge(_ plan: RecurringPlan, isApproved: Bool = false) throws -> RecurringCharge {
        var plan = plan
        var charge = try #require(plan.open(at: plan.schedule.start).first)
        charge.isApproved = isApproved
        return charge
    }

    @Test("Endpoint, limit, payment, in this order, and under the period's own name")
    func pays() async throws {
        let plan = try plan()
        #expect(try await payer().pay(charge(plan), of: plan) == .paid(transactionID: nil))
        #expect(steps.all == ["endpoint lightning", "limit 1000", "pay lnbc1 as sub_1/0"])
        #expect(try await payer().fate(of: charge(plan), in: plan) == nil)
        #expect(steps.all.last == "fate sub_1/0")
    }

    @Test("Above the limit, and where nothing is paid by itself, the payer is asked; with their yes no limit counts")
    func asks() async throws {
        let (own, asked) = (try plan(), try plan(paysByItself: false))
        for (payer, plan) in [(payer(mayPay: .success(false)), own), (payer(), asked)] {
            guard case .needsApproval = try await payer.pay(charge(plan), of: plan) else {
                Issue.record("it is not asked about")
                continue
            }
            #expect(try await payer.pay(charge(plan, isApproved: true), of: plan) == .paid(transactionID: nil))
        }
        #expect(steps.all.count { $0.hasPrefix("pay") } == 2)
    }

    @Test("Without an endpoint, a network, limits that can be read or a payee nothing is sent, and it is tried again")
    func notNow() async throws {
        let plan = try plan()
        let foreign = try RecurringPlan(
            id: plan.id, provider: plan.provider, amount: plan.amount, schedule: plan.schedule, details: ["method": "x"]
        )
        for (payer, plan) in [
            (payer(endpoint: .success(nil)), plan), (payer(endpoint: .failure(Offline())), plan),
            (payer(mayPay: .failure(Offline())), plan), (payer(), foreign),
        ] {
            guard case .notNow = try await payer.pay(charge(plan), of: plan) else {
                Issue.record("it is not tried again")
                continue
            }
        }
        #expect(!steps.all.contains { $0.hasPrefix("pay") })
    }

    /// A bank for any payer: each payment is made once, and no cancelled one.
    private final class Bank: Sendable {
        private let calledOff = Mutex(0)
        let payments = Mutex(0)

        func pay(_ payment: PaykitSubscriptionPayer.Payment) -> RecurringAnswer {
            guard payment.attempt > calledOff.withLock({ $0 }) else { return .declined("it was cancelled") }
            payments.withLock { $0 += 1 }
            return .paid(transactionID: nil)
        }

        func fate(_ attempt: Int) -> RecurringAnswer? {
            calledOff.withLock { $0 = max($0, attempt) }
            return payments.withLock { $0 } > 0 ? .paid(transactionID: nil) : nil
        }
    }

    @Test("A worker that stalls while it looks for the endpoint pays no period that was abandoned meanwhile")
    func stalls() async throws {
        let (bank, stalled, goesOn) = (Bank(), Gate(), Gate())
        let clock = VirtualClock(Date(timeIntervalSince1970: 2000))
        let store = InMemoryRecords()
        let plans = RecurringPlans(store)
        func scheduler(stalling: Bool) -> RecurringScheduler {
            let payer = PaykitSubscriptionPayer(
                endpoint: { _, _ in
                    if stalling {
                        await stalled.open()
                        await goesOn.pass()
                    }
                    return "lnbc1"
                }, mayPay: { _ in true }, execute: { bank.pay($0) }, fate: { bank.fate($1) })
            return RecurringScheduler(
                store: store, payer: payer, clock: clock,
                random: SeededRandomSource(seed: stalling ? 1 : 2))
        }
        let plan = try plan()
        let slow = scheduler(stalling: true)
        try await slow.add(plan)
        let paying = Task { try await slow.look(at: plan.id) }
        await stalled.pass()
        clock.advance(by: .seconds(2 * 86_400))
        let other = scheduler(stalling: false)
        try await other.look(at: plan.id)
        let missed = try #require(try await plans.charges(of: plan.id).first { $0.id.number == 0 })
        guard case .missed = missed.state else { Issue.record("\(missed.state)"); return }
        let before = bank.payments.withLock { $0 }
        await goesOn.open()
        try await paying.value
        #expect(bank.payments.withLock { $0 } == before, "a period that was told missed is paid")
        #expect(try await plans.charges(of: plan.id).first { $0.id.number == 0 }?.state == missed.state)
    }

    @Test("Two payees may call theirs the same; what is agreed to is what is paid, when it begins")
    func plans() throws {
        let plan = try plan()
        #expect(plan.id.rawValue == "\(try PubkySamples.pair(0x22).publicKey.text)/sub_1")
        #expect(plan.amount.minorUnits == 1000 && plan.schedule.rhythm == .daily)
        #expect(plan.schedule.start == Date(timeIntervalSince1970: 1000))
        let order = try #require(PaykitStandingOrder(plan))
        #expect(order.recipient == (try PubkySamples.pair(0x22).publicKey) && order.paysByItself)
        let ending = try SubscriptionWireTests.subscription(frequency: .daily, endsAt: 1000 + 86_401)
            .plan(paysByItself: false)
        #expect(ending.schedule.lastPeriod(at: .distantFuture)?.number == 1)
    }
}
