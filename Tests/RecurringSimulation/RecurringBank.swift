import Foundation
import PaymentCore
import PaymentRecurring
import Synchronization

/// Where money moves: what was captured, and which payments somebody is at. It counts, and forgives nothing: who
/// captures twice has paid twice.
final class RecurringBank: Sendable {
    struct Capture: Sendable {
        let date: Date
        let amount: Money
    }

    private struct Accounts {
        var captures: [RecurringCharge.ID: [Capture]] = [:]
        /// Who may pay a period: whoever asked last.
        var turns: [RecurringCharge.ID: UInt64] = [:]
        var turn: UInt64 = 0
        /// Up to which of its attempts a period was said not to be paid.
        var fences: [RecurringCharge.ID: Int] = [:]
    }

    private let accounts = Mutex(Accounts())
    let isReliable = Mutex(false)

    var captures: [RecurringCharge.ID: [Capture]] { accounts.withLock { $0.captures } }

    func isPaid(_ id: RecurringCharge.ID) -> Bool { accounts.withLock { $0.captures[id] != nil } }

    /// Takes a period's payment from whoever was at it.
    func take(_ id: RecurringCharge.ID) -> UInt64 {
        accounts.withLock {
            $0.turn += 1
            $0.turns[id] = $0.turn
            return $0.turn
        }
    }

    /// Whether a period's attempt may begin: nobody was told that nothing comes of it.
    func isOpen(_ charge: RecurringCharge) -> Bool {
        accounts.withLock { charge.attempts > $0.fences[charge.id] ?? 0 }
    }

    /// Has nothing come of the attempts at a period so far, however late they begin.
    func fence(_ charge: RecurringCharge) {
        accounts.withLock { $0.fences[charge.id] = max($0.fences[charge.id] ?? 0, charge.attempts) }
    }

    /// Pays, unless somebody else has taken the payment meanwhile.
    func capture(_ charge: RecurringCharge, _ turn: UInt64?, at date: Date) -> Bool {
        accounts.withLock {
            guard turn == nil || $0.turns[charge.id] == turn else { return false }
            $0.captures[charge.id, default: []].append(Capture(date: date, amount: charge.amount))
            return true
        }
    }
}

/// A worker's way to the bank: payments of one name are joined, as a payment journal joins them.
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
        // Somebody has been told that nothing comes of this attempt, while its worker stalled before it began.
        guard bank.isOpen(charge) || history.mistake == .forgetfulPayer else { throw Lost() }
        let turn = bank.take(charge.id)
        try await worker.point()
        if !isReliable {
            if plan.details["asks"]?.bool == true, !charge.isApproved { return .needsApproval("above the limit") }
            if history.chance(0.03) { return .declined("not enough") }
            if history.chance(0.03) { return .notNow("offline") }
            // The question never arrived, and nobody knows.
            if history.chance(0.02) { throw Lost() }
        }
        guard bank.capture(charge, history.mistake == .unjoinedPayer ? nil : turn, at: history.now) else {
            throw Lost()
        }
        try await worker.point()
        // The answer never arrived.
        if !isReliable, history.chance(0.03) { throw Lost() }
        return .paid(transactionID: nil)
    }

    func fate(of charge: RecurringCharge, in plan: RecurringPlan) async throws -> RecurringAnswer? {
        try await worker.point()
        if history.mistake == .forgetfulPayer { return nil }
        // Whoever was at it is not any more: only then does "not paid" mean that it will not be.
        _ = bank.take(charge.id)
        bank.fence(charge)
        if bank.isPaid(charge.id) { return .paid(transactionID: "found") }
        if !bank.isReliable.withLock({ $0 }), history.chance(0.1) { return .unknown("no answer") }
        return nil
    }
}
