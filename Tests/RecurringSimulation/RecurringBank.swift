import Foundation
import PaymentCore
import PaymentRecurring
import Synchronization

/// The simulated bank: captures, and the workers that are paying. It counts, and prevents nothing: a second capture is
/// a second payment.
final class RecurringBank: Sendable {
    struct Capture: Sendable {
        let date: Date
        let amount: Money
    }

    private struct Accounts {
        var captures: [RecurringCharge.ID: [Capture]] = [:]
        /// The turn that may pay a period: the one that was taken last.
        var turns: [RecurringCharge.ID: UInt64] = [:]
        var turn: UInt64 = 0
        /// The number of the last attempt of a period that was reported as unpaid.
        var fences: [RecurringCharge.ID: Int] = [:]
    }

    private let accounts = Mutex(Accounts())
    let isReliable = Mutex(false)

    var captures: [RecurringCharge.ID: [Capture]] { accounts.withLock { $0.captures } }

    func isPaid(_ id: RecurringCharge.ID) -> Bool { accounts.withLock { $0.captures[id] != nil } }

    /// Takes a period's payment over from the previous worker.
    func take(_ id: RecurringCharge.ID) -> UInt64 {
        accounts.withLock {
            $0.turn += 1
            $0.turns[id] = $0.turn
            return $0.turn
        }
    }

    /// True if a period's attempt may begin: it was not reported as unpaid.
    func isOpen(_ charge: RecurringCharge) -> Bool {
        accounts.withLock { charge.attempts > $0.fences[charge.id] ?? 0 }
    }

    /// Rules out all attempts at a period so far, however late they begin.
    func fence(_ charge: RecurringCharge) {
        accounts.withLock { $0.fences[charge.id] = max($0.fences[charge.id] ?? 0, charge.attempts) }
    }

    /// Pays, unless another worker has taken the payment over meanwhile.
    func capture(_ charge: RecurringCharge, _ turn: UInt64?, at date: Date) -> Bool {
        accounts.withLock {
            guard turn == nil || $0.turns[charge.id] == turn else { return false }
            $0.captures[charge.id, default: []].append(Capture(date: date, amount: charge.amount))
            return true
        }
    }
}

/// A worker's payer: payments of one name are joined, as a payment journal joins them.
struct RecurringBankPayer: RecurringPayer {
    struct Lost: Error {}

    let history: RecurringHistory
    let worker: RecurringWorker.Life
    private var bank: RecurringBank { history.bank }

    init(_ history: RecurringHistory, _ worker: RecurringWorker.Life) {
        self.history = history
        self.worker = worker
    }

    func pay(_ charge: RecurringCharge, of plan: RecurringPlan) async throws -> RecurringAnswer {
        let isReliable = bank.isReliable.withLock { $0 }
        if bank.isPaid(charge.id), history.mistake != .forgetfulPayer { return .paid(transactionID: "joined") }
        // This attempt was reported as unpaid, while its worker stalled before it began.
        guard bank.isOpen(charge) || history.mistake == .forgetfulPayer else { throw Lost() }
        let turn = bank.take(charge.id)
        try await worker.point()
        if !isReliable {
            if plan.details["asks"]?.bool == true, !charge.isApproved { return .needsApproval("above the limit") }
            if history.chance(0.03) { return .declined("not enough") }
            if history.chance(0.03) { return .notNow("offline") }
            // The request never arrived, and its result is unknown.
            if history.chance(0.02) { throw Lost() }
        }
        let isAgreed = charge.terms.map { $0["payee"] == plan.details["payee"] } ?? !charge.isApproved
        if !isAgreed { history.breach("\(charge.id) was paid to another payee than the payer had agreed to") }
        guard bank.capture(charge, history.mistake == .unjoinedPayer ? nil : turn, at: history.now) else {
            throw Lost()
        }
        try await worker.point()
        // The answer never arrived.
        if !isReliable, history.chance(0.03) { throw Lost() }
        return .paid(transactionID: nil)
    }

    func terms(of plan: RecurringPlan) -> JSONValue {
        history.mistake == .anyTerms ? [:] : plan.details
    }

    func fate(of charge: RecurringCharge, in plan: RecurringPlan) async throws -> RecurringAnswer? {
        try await worker.point()
        if history.mistake == .forgetfulPayer { return nil }
        // Takes the turn from the previous worker: only then is "not paid" final.
        _ = bank.take(charge.id)
        bank.fence(charge)
        if bank.isPaid(charge.id) { return .paid(transactionID: "found") }
        if !bank.isReliable.withLock({ $0 }), history.chance(0.1) { return .unknown("no answer") }
        return nil
    }
}
