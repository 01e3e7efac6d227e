import PaymentCore

/// Pays the periods of plans.
///
/// Each period has one name for ever, ``RecurringCharge/reference``, and is paid under it. That is what makes a second
/// call harmless: one that comes while another is under way, or after it, joins it, as `PaymentRouter` does for
/// payments of one reference. A payer that cannot join must answer ``RecurringAnswer/unknown(_:)`` whenever it cannot
/// rule out that money has moved.
public protocol RecurringPayer: Sendable {
    /// Pays a period. Called when nothing was begun, or ``fate(of:in:)`` has said that nothing came of what was.
    ///
    /// - Parameters:
    ///   - charge: what is paid. Where ``RecurringCharge/isApproved``, the payer has said so and is not asked again.
    ///   - plan: what it is part of.
    /// - Returns: what became of it.
    /// - Throws: anything; then nothing is known, and ``fate(of:in:)`` is asked.
    func pay(_ charge: RecurringCharge, of plan: RecurringPlan) async throws -> RecurringAnswer

    /// Says what became of a period that somebody began to pay: perhaps a process that is gone.
    ///
    /// - Parameters:
    ///   - charge: what was paid, perhaps.
    ///   - plan: what it is part of.
    /// - Returns: what became of it; nil only when nothing was sent and nothing that was begun can still be: the
    ///   payment's lease is free, or taken from whoever had it. From then on a call of
    ///   ``pay(_:of:)`` with the same or a lower ``RecurringCharge/attempts`` is refused: its worker may have stalled
    ///   before it began, and the period may be given up by now.
    /// - Throws: anything; then nothing is known, and it is asked again later.
    func fate(of charge: RecurringCharge, in plan: RecurringPlan) async throws -> RecurringAnswer?
}

/// What became of paying a period.
@nonexhaustive
public enum RecurringAnswer: Sendable, Hashable {
    /// It is paid.
    case paid(transactionID: String?)
    /// It was declined: no money moved, and none will. The text says why.
    case declined(String)
    /// The payer is to say so first: it is above what may be paid without a question. No money moved.
    case needsApproval(String)
    /// It cannot be paid just now: nothing was sent. The text says why.
    case notNow(String)
    /// Nobody knows. The text says why.
    case unknown(String)
}
