import Foundation
import PaymentCore
import Synchronization
import Testing

@testable import PaykitProvider

@Suite("Paying a subscription's period as the guide does")
struct SubscriptionPayerTests {
    private struct Offline: Error {}

    /// What a payer did, in order.
    private final class Steps: Sendable {
        let done = Mutex<[String]>([])
        func note(_ step: String) { done.withLock { $0.append(step) } }
    }

    private let steps = Steps()

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
            fate: { reference in
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
        #expect(steps.done.withLock { $0 } == ["endpoint lightning", "limit 1000", "pay lnbc1 as sub_1/0"])
        #expect(try await payer().fate(of: charge(plan), in: plan) == nil)
        #expect(steps.done.withLock { $0.last } == "fate sub_1/0")
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
        #expect(steps.done.withLock { $0.filter { $0.hasPrefix("pay") }.count } == 2)
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
        #expect(steps.done.withLock { $0.contains { $0.hasPrefix("pay") } } == false)
    }

    @Test("Two payees may call theirs the same; what is agreed to is what is paid, when it begins")
    func plans() throws {
        let plan = try plan()
        #expect(plan.id.rawValue == "\(try WireTests.pair(0x22).publicKey.text)/sub_1")
        #expect(plan.amount.minorUnits == 1000 && plan.schedule.rhythm == .daily)
        #expect(plan.schedule.start == Date(timeIntervalSince1970: 1000))
        let order = try #require(PaykitStandingOrder(plan))
        #expect(order.recipient == (try WireTests.pair(0x22).publicKey) && order.paysByItself)
        let ending = try SubscriptionWireTests.subscription(frequency: .daily, endsAt: 1000 + 86_401)
            .plan(paysByItself: false)
        #expect(ending.schedule.lastPeriod(at: .distantFuture)?.number == 1)
    }
}
