import PaymentCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The rules of an intent: other intents' attempts, its deadline, its cancellation.
extension AttemptEngine {
    /// Returns true if the payer may be asked for what an attempt still needs: its own intent's, or one that costs what
    /// this intent has agreed to.
    func mayResume(_ attempt: PaymentAttempt) -> Bool {
        guard let intent, intent.key != nil, !intent.owns(attempt) else { return true }
        if case .asked = intent.choice { return false }
        return intent.covers(attempt.option)
    }

    /// Throws where nothing new may be begun for the intent.
    func checkMayBegin(_ payment: PaymentReference) async throws {
        guard let intent else { return }
        let isCancelled = try await histories(of: payment).contains {
            intent.owns($0.attempt) && Self.isCancellation($0.attempt)
        }
        if isCancelled { throw error(.cancelled, "it was cancelled before anything was sent") }
        if let deadline = intent.deadline, deadline <= effects.clock.now {
            throw error(.cancelled, "the request's time is over; nothing was sent")
        }
    }

    /// The option of attempts that stand for a cancellation.
    static let nothing = (id: "called-off", title: "nothing")

    /// Returns true if an attempt stands for a cancellation: it never runs.
    static func isCancellation(_ attempt: PaymentAttempt) -> Bool {
        attempt.option.id == nothing.id && attempt.option.title == nothing.title
            && attempt.option.expiresAt == attempt.startedAt
    }

    /// Abandons the intent's own attempt that has sent nothing, and stores that none is begun for it any more.
    ///
    /// - Returns: the error to state: `cancelled`, or `inUse` where money may have moved, or another intent's attempt
    ///   is open, which this one does not cancel.
    func cancelIntent(at payment: PaymentReference) async throws -> PaymentError {
        let histories = try await histories(of: payment)
        guard Ledger(histories, effects).recordedPayment == nil else {
            return error(.inUse, "it is paid; it cannot be cancelled any more", phase: .maybeSent)
        }
        if let open = histories.last(where: { !$0.isFinished }) {
            guard let intent, intent.owns(open.attempt) else {
                return error(
                    .inUse, "another request has begun this payment; it cannot be cancelled by this one",
                    phase: .maybeSent)
            }
            guard !open.mayHaveMovedMoney, open.outcome == nil else {
                return error(.inUse, "money may have moved; it cannot be cancelled any more", phase: .maybeSent)
            }
            try await close(open.attempt, .abandoned(reason: "cancelled by its caller"))
        }
        if intent?.key != nil { try await forbid(payment) }
        return error(.cancelled, "cancelled before anything was sent")
    }

    /// Stores that nothing is begun for a payment any more: as an attempt that never ran, and that cannot be resumed,
    /// its option's time being over when it begins. It knows nothing of the payment's time, by which payments with
    /// several names are compared. A worker that is late finds it under the payment's lease.
    func forbid(
        _ payment: PaymentReference, amount: Money? = nil, data: JSONValue? = nil,
        _ reason: String = "cancelled by its caller"
    ) async throws {
        let now = effects.clock.now
        let attempt = try moneyless(payment, Self.nothing, amount: amount, until: now, data: data, at: now)
        try await journaled { try await journal.open(attempt) }
        try await close(attempt, .abandoned(reason: reason))
    }

    /// Returns an attempt that stands for a cancellation, and moves no money.
    func moneyless(
        _ reference: PaymentReference, _ option: (id: String, title: String), amount: Money? = nil,
        until end: Date? = nil, data: JSONValue? = nil, at now: Date
    ) throws -> PaymentAttempt {
        PaymentAttempt(
            id: newAttemptID(), reference: reference,
            option: PaymentMethodOption(
                id: option.id, title: option.title, amount: try amount ?? Money(minorUnits: 0, currency: .eur),
                expiresAt: end, providerData: data),
            idempotencyKey: effects.random.uuid(), startedAt: now, expiresAt: nil)
    }
}
