public import PaymentCore

/// Pays the periods of plans.
///
/// Each period has one permanent name, ``RecurringCharge/reference``, and is paid under it. That makes a second call
/// harmless: one that comes while another is in progress, or after it, joins it, as `PaymentRouter` does for payments
/// of one reference. A payer that cannot join must answer ``RecurringAnswer/unknown(_:)`` whenever it cannot rule out
/// that money has moved.
public protocol RecurringPayer: Sendable {
    /// Pays a period. Called when nothing was begun, or ``fate(of:in:)`` has reported that earlier tries came to
    /// nothing.
    ///
    /// - Parameters:
    ///   - charge: the period to pay. Where ``RecurringCharge/isApproved``, the payer has approved it and is not asked
    ///     again.
    ///   - plan: the plan that it belongs to.
    /// - Returns: the outcome.
    /// - Throws: any error; the outcome is then unknown, and ``fate(of:in:)`` is asked.
    func pay(_ charge: RecurringCharge, of plan: RecurringPlan) async throws -> RecurringAnswer

    /// Returns the outcome of a period that a worker began to pay: perhaps a process that is gone.
    ///
    /// - Parameters:
    ///   - charge: the period that may have been paid.
    ///   - plan: the plan that it belongs to.
    /// - Returns: the outcome; nil only when nothing was sent and nothing that was begun can still be: the payment's
    ///   lease is free, or was taken from its holder. From then on a call of ``pay(_:of:)`` with the same or a lower
    ///   ``RecurringCharge/attempts`` is refused: its worker may have stalled before it began, and the period may be
    ///   abandoned by now.
    /// - Throws: any error; the outcome is then unknown, and it is asked again later.
    func fate(of charge: RecurringCharge, in plan: RecurringPlan) async throws -> RecurringAnswer?

    /// Returns the terms of a plan that the payer agrees to: the payee and the method, but not the amount, which the
    /// period holds. A period whose terms have changed since the payer was asked or notified is not paid before they
    /// are asked again. By default all of the plan's details.
    ///
    /// - Parameter plan: the plan.
    func terms(of plan: RecurringPlan) -> JSONValue
}

extension RecurringPayer {
    /// Returns the plan's details.
    public func terms(of plan: RecurringPlan) -> JSONValue { plan.details }
}

/// The outcome of paying a period.
@nonexhaustive
public enum RecurringAnswer: Sendable, Hashable {
    /// It is paid.
    case paid(transactionID: String?)
    /// It was declined: no money moved, and none will. The text gives the reason.
    case declined(String)
    /// The payer has to approve it first: it is above the limits for payments without a question. No money moved.
    case needsApproval(String)
    /// It cannot be paid just now: nothing was sent. The text gives the reason.
    case notNow(String)
    /// The outcome is unknown. The text gives the reason.
    case unknown(String)
}
