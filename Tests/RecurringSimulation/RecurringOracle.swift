import Foundation
import PaymentCore
import PaymentRecurring
import Synchronization

/// The invariants of every history.
extension RecurringHistory {
    func judge() async throws {
        let forgotten = state.withLock { $0.forgotten }
        state.withLock { $0.looks.sort() }
        for plan in try await records.all() {
            judge(plan, try await records.charges(of: plan.id).filter { !forgotten.contains($0.id) })
        }
        let known = Set(try await records.all().map(\.id))
        for (id, captures) in bank.captures {
            if !known.contains(id.plan) { breach("\(id) was paid, and there is no such plan") }
            guard let charge = try await records.charge(id) else {
                breach("\(id) was paid, and was never opened")
                continue
            }
            judge(charge, captures)
            if let plan = try await records.plan(id.plan) { judgeNotice(charge, plan, captures[0]) }
        }
    }

    /// Once the clock is confirmed, a period that has not begun, and for which nothing was sent, is not over.
    func judgeReopening() async throws {
        for plan in try await records.all() {
            for charge in try await records.charges(of: plan.id) where charge.state.isFinal && charge.isUntouched {
                let before = (plan.policy.notice + plan.policy.ahead) / .seconds(1)
                let opening = charge.period.start.addingTimeInterval(-before)
                if opening > now { breach("\(charge.id) is \(charge.state) before it begins") }
            }
        }
    }

    private func judge(_ plan: RecurringPlan, _ charges: [RecurringCharge]) {
        // The plan's schedule decides the periods, whatever clocks showed: each period is there, once, in order.
        for (index, charge) in charges.enumerated() {
            if charge.id.number != index { breach("\(charge.id) is at the place of period \(index)") }
            if plan.schedule.period(charge.id.number) != charge.period { breach("\(charge.id) is another period") }
        }
        let last = plan.schedule.lastPeriod(at: now)?.number ?? -1
        if plan.status != .ended, charges.count <= last {
            breach("of \(plan.id) \(charges.count) periods were opened, and \(last + 1) have begun")
        }
        for charge in charges {
            note(charge)
            let paid = bank.captures[charge.id]?.count ?? 0
            switch charge.state {
            case .paid where paid != 1: breach("\(charge.id) is said to be paid, and was so \(paid) times")
            case .missed where paid != 0: breach("\(charge.id) is said to be missed, and was paid \(paid) times")
            case .paid, .missed: break
            default:
                // A period that waits for the payer, or has just begun, may stay open.
                if charge.deadline < now.addingTimeInterval(-2 * Self.day) {
                    breach("\(charge.id) has come to no end: \(charge.state)")
                }
            }
            if case .missed(.absence) = charge.state { judgeAbsence(charge, plan) }
            judgeAnswer(charge)
        }
    }

    /// An answer that was taken is kept: after a no nothing is paid, and a yes is known.
    private func judgeAnswer(_ charge: RecurringCharge) {
        switch state.withLock({ $0.answers[charge.id] }) {
        case false? where charge.state != .missed(.refused):
            breach("\(charge.id) was refused by its payer, and is \(charge.state)")
        case true? where !charge.isApproved: breach("\(charge.id) was approved by its payer, and nobody knows it")
        default: break
        }
    }

    /// If no clock was wrong, no worker looked while the policy would have charged the period.
    private func judgeAbsence(_ charge: RecurringCharge, _ plan: RecurringPlan) {
        let end: Date? =
            switch plan.policy.catchUp {
            case .latestOnly: charge.period.end
            case .none: charge.period.start.addingTimeInterval(plan.policy.grace / .seconds(1))
            case .all: plan.schedule.period(charge.id.number + plan.policy.mostCaughtUp)?.start
            }
        let wasThere = state.withLock { state in
            guard !state.wasWrong, let end, let first = state.looks.first(where: { $0 >= charge.period.start }) else {
                return false
            }
            return first < end.addingTimeInterval(-(plan.policy.ahead / .seconds(1)))
        }
        if wasThere { breach("\(charge.id) is said to have been missed because nobody was there, and somebody was") }
    }

    /// No charge is unannounced: the payer was notified, and had the notice time, or has approved.
    private func judgeNotice(_ charge: RecurringCharge, _ plan: RecurringPlan, _ capture: RecurringBank.Capture) {
        let notice = plan.policy.notice / .seconds(1)
        guard notice > 0 else { return }
        let (told, wasWrong) = state.withLock { ($0.told[charge.id], $0.wasWrong) }
        guard let told else { return breach("\(charge.id) was paid, and nobody was told beforehand") }
        // If a clock was wrong at the notice, its age is unknown.
        guard !wasWrong, !charge.isApproved, capture.date < told.addingTimeInterval(notice) else { return }
        breach("\(charge.id) was paid \(Int(capture.date.timeIntervalSince(told))) seconds after it was told")
    }

    private func judge(_ charge: RecurringCharge, _ captures: [RecurringBank.Capture]) {
        if captures.count > 1 { breach("\(charge.id) was paid \(captures.count) times") }
        let ahead = charge.period.start.timeIntervalSince(captures[0].date)
        // A clock that was never wrong charges nothing before the policy does, or before the notice that a payer has
        // approved; a wrong one no more than the trusted part of its error.
        let most = (state.withLock { $0.wasWrong } ? 31 * Self.day : 0) + (charge.isApproved ? 2 * 7260 : 7200)
        if ahead > most { breach("\(charge.id) was paid \(Int(ahead / 3600)) hours before it began") }
        for capture in captures where capture.amount != charge.amount { breach("\(charge.id) cost another amount") }
    }

    private func note(_ charge: RecurringCharge) {
        state.withLock {
            $0.verdict.periods += 1
            switch charge.state {
            case .paid: $0.verdict.paid += 1
            case .missed(.declined): $0.verdict.missed["declined", default: 0] += 1
            case .missed(.failed): $0.verdict.missed["failed", default: 0] += 1
            case .missed(let reason): $0.verdict.missed["\(reason)", default: 0] += 1
            default: break
            }
        }
    }

    func breach(_ text: String) {
        state.withLock { if $0.verdict.breaches.count < 50 { $0.verdict.breaches.append(text) } }
    }
}
