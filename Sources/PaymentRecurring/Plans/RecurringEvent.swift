import PaymentCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A scheduler's report on its work. A report on a period is stored before it is emitted, except for upcoming periods:
/// these are emitted until they are stored.
@nonexhaustive
public enum RecurringEvent: Sendable, Hashable {
    /// A period is going to be paid at ``RecurringCharge/notBefore``, unless the payer refuses it before
    /// (``RecurringScheduler/refuse(_:)``): see ``RecurringPolicy/notice``.
    case upcoming(RecurringCharge)
    /// A period was paid.
    case paid(RecurringCharge)
    /// A period was not paid, and will not be: ``RecurringCharge/state`` gives the reason.
    case missed(RecurringCharge)
    /// The payer is to decide whether a period is paid (``RecurringScheduler/approve(_:)``).
    case waiting(RecurringCharge)
    /// A period could not be paid, and is tried again; the text gives the reason.
    case postponed(RecurringCharge, String)
    /// It is not known whether a period was paid; it is asked about again.
    case unknown(RecurringCharge)
    /// The clock is not credible: nothing that it makes due is charged until it is right again, or
    /// ``RecurringScheduler/trustClock()`` confirms it.
    case doubtfulClock(now: Date, trusted: Date)
    /// A period has ended that has not begun by the clock that is confirmed now: it was opened by one that was ahead.
    /// It was paid early, or is missed; ``RecurringCharge/state`` has which, and nothing changes it.
    case openedAhead(RecurringCharge)
    /// A period that was missed by a clock that was ahead is charged in its time: nothing was sent for it.
    case reopened(RecurringCharge)
    /// Another failure, such as a journal that cannot be written; the text describes it. It is tried again.
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
        case .openedAhead(let charge):
            "\(charge.id): ended by a clock that was ahead, and begins \(charge.period.start)"
        case .reopened(let charge): "\(charge.id): will be charged when it begins, \(charge.period.start)"
        case .error(let text): text
        }
    }
}
