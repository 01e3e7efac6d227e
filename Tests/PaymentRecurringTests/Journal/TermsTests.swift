import Foundation
import PaymentCore
import PaymentRecurring
import TestSupport
import Testing

/// Plans that are changed between a question, or a notification, and the payment.
@Suite("Terms of periods that the payer has agreed to")
struct TermsTests {
    private let clock = VirtualClock(Date(timeIntervalSince1970: 1_800_000_000))
    private let store = InMemoryRecords()
    private var plans: RecurringPlans { RecurringPlans(store) }
    private let payer = ScriptedPayer()
    private let heard = Collected<String>()
    private let plan = RecurringPlan.ID(rawValue: "rent")
    private var period: RecurringCharge.ID { RecurringCharge.ID(plan: plan, number: 0) }

    private static func line(_ event: RecurringEvent) -> String {
        switch event {
        case .waiting(let charge): "waiting for \(charge.terms?["payee"]?.string ?? "-")"
        case .upcoming(let charge): "upcoming for \(charge.terms?["payee"]?.string ?? "-")"
        case .paid: "paid"
        case .missed: "missed"
        case .postponed: "postponed"
        default: "\(event)"
        }
    }

    private func scheduler(
        _ policy: RecurringPolicy = RecurringPolicy(), startingIn seconds: Double = 0
    ) async throws -> RecurringScheduler {
        let heard = heard
        let scheduler = RecurringScheduler(
            store: store, payer: payer, clock: clock, listener: { heard.add(Self.line($0)) })
        try await scheduler.add(
            RecurringPlan(
                plan.rawValue, .weekly, from: clock.now.addingTimeInterval(seconds), policy, details: ["payee": "mina"])
        )
        return scheduler
    }

    private func lead(_ scheduler: RecurringScheduler, to payee: String) async throws {
        try await scheduler.change(plan) { plan, _ in
            plan.details = ["payee": .string(payee)]
            return []
        }
    }

    @Test("An approval pays the payee that was asked about; of another one the payer is asked again")
    func asked() async throws {
        payer.answers = [.answer(.needsApproval("above"))]
        let scheduler = try await scheduler()
        try await scheduler.look()
        try await lead(scheduler, to: "eve")
        await #expect(throws: RecurringAnswerError.changed(period)) { try await scheduler.approve(period) }
        #expect(heard.all == ["waiting for mina", "waiting for eve"] && payer.calls == ["pay rent/0"])
        #expect(try await plans.charge(period)?.isApproved == false)
        try await scheduler.approve(period)
        #expect(heard.all.last == "paid" && payer.calls.last == "pay rent/0 approved")
    }

    @Test(
        "An approval of an earlier try, asked for or not, does not cover another payee",
        arguments: [
            (RecurringAnswer.needsApproval("above"), "waiting for mina"), (.notNow("offline"), "postponed"),
        ])
    func retried(first: RecurringAnswer, event: String) async throws {
        payer.answers = [.answer(first), .answer(.declined("no money"))]
        let scheduler = try await scheduler()
        try await scheduler.look()
        try await scheduler.approve(period)
        try await lead(scheduler, to: "eve")
        for _ in 0..<3 {
            clock.advance(by: .seconds(3600))
            try await scheduler.look()
        }
        #expect(heard.all == [event, "postponed", "waiting for eve"])
        #expect(try await plans.charge(period)?.isApproved == false)
        #expect(payer.calls == ["pay rent/0", "pay rent/0 approved"])
    }

    @Test("A period that was announced is announced again for another payee, and paid after that notice")
    func announced() async throws {
        let scheduler = try await scheduler(RecurringPolicy(notice: .seconds(7200)))
        try await scheduler.look()
        try await lead(scheduler, to: "eve")
        for _ in 0..<2 {
            clock.advance(by: .seconds(7200))
            try await scheduler.look()
            if payer.calls.isEmpty { #expect(heard.all == ["upcoming for mina", "upcoming for eve"]) }
        }
        #expect(heard.all == ["upcoming for mina", "upcoming for eve", "paid"])
    }

    @Test(
        "A period that was announced is asked about for another payee if no notice is given any more, or in a pause",
        arguments: [true, false])
    func announcedAndChanged(isPaused: Bool) async throws {
        let policy = RecurringPolicy(ahead: .seconds(3600), notice: .seconds(3600))
        let scheduler = try await scheduler(policy, startingIn: 7200)
        try await scheduler.look()
        try await scheduler.change(plan) { plan, now in
            plan.details = ["payee": "eve"]
            plan.policy.ahead = .zero
            if isPaused { return plan.pause(at: now) }
            plan.policy.notice = .zero
            return []
        }
        clock.advance(by: .seconds(3600))
        try await scheduler.look()
        #expect(heard.all == ["upcoming for mina", "waiting for eve"] && payer.calls.isEmpty)
    }

    @Test("An approval throws when the plan is paused or ended, before the payment or meanwhile, and nothing is paid")
    func inactive() async throws {
        payer.answers = [.answer(.needsApproval("above"))]
        let scheduler = try await scheduler(RecurringPolicy(notice: .seconds(60)))
        try await scheduler.look()
        try await scheduler.pause(plan)
        await #expect(throws: RecurringAnswerError.notCharged(period)) { try await scheduler.approve(period) }
        try await scheduler.resume(plan)
        try await scheduler.end(plan)
        await #expect(throws: RecurringAnswerError.notCharged(period)) { try await scheduler.approve(period) }
        #expect(payer.calls.isEmpty && heard.all == ["upcoming for mina"])
    }

    @Test("A second try of an announced period asks about another payee")
    func announcedAndRetried() async throws {
        payer.answers = [.answer(.declined("no money"))]
        let scheduler = try await scheduler(RecurringPolicy(notice: .seconds(60)))
        try await scheduler.look()
        clock.advance(by: .seconds(60))
        try await scheduler.look()
        try await lead(scheduler, to: "eve")
        clock.advance(by: .seconds(3600))
        try await scheduler.look()
        #expect(heard.all == ["upcoming for mina", "postponed", "waiting for eve"] && payer.calls.count == 1)
    }
}
