import PaymentCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// What a scheduler tells of its work. What it says of a period is stored before it is told, but for what is to come:
/// that is told until it is stored.
@nonexhaustive
public enum RecurringEvent: Sendable, Hashable {
    /// A period is going to be paid at ``RecurringCharge/notBefore``, unless the payer says no before
    /// (``RecurringScheduler/refuse(_:)``): see ``RecurringPolicy/notice``.
    case upcoming(RecurringCharge)
    /// A period was paid.
    case paid(RecurringCharge)
    /// A period was not paid, and will not be: ``RecurringCharge/state`` says why.
    case missed(RecurringCharge)
    /// The payer is to say whether a period is paid (``RecurringScheduler/approve(_:)``).
    case waiting(RecurringCharge)
    /// A period could not be paid, and is tried again; the text says why.
    case postponed(RecurringCharge, String)
    /// Whether a period was paid is not known; it is asked about again.
    case unknown(RecurringCharge)
    /// The clock says what cannot be believed: nothing that it makes due is charged until it is right again, or
    /// ``RecurringScheduler/trustClock()`` says that it is.
    case doubtfulClock(now: Date, trusted: Date)
    /// Something else went wrong, such as a journal that cannot be written; the text says what. It is tried again.
    case error(String)
}

extension RecurringEvent: CustomStringConvertible {
    /// One line for people.
    public var description: String {
        switch self {
        case .upcoming(let charge): "\(charge.id): \(charge.amount) will be paid \(charge.notBefore)"
        case .paid(let charge): "\(charge.id): paid \(charge.amount)"
        case .missed(let charge):
            if case .missed(let reason) = charge.state {
                "\(charge.id): missed, \(reason)"
            } else {
                "\(charge.id): missed"
            }
        case .waiting(let charge):
            if case .waiting(let text) = charge.state {
                "\(charge.id): waits for the payer, \(text)"
            } else {
                "\(charge.id): waits for the payer"
            }
        case .postponed(let charge, let text): "\(charge.id): tried again later, \(text)"
        case .unknown(let charge):
            if case .unknown(let text) = charge.state {
                "\(charge.id): not known whether it was paid, \(text)"
            } else {
                "\(charge.id): not known whether it was paid"
            }
        case .doubtfulClock(let now, let trusted):
            now > trusted
                ? "the clock has gone on further than it can have; set it right, or say that it is right"
                : "the clock is behind what it was; nothing is due until it is right"
        case .error(let text): text
        }
    }
}
