public import PaymentCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The charge for one period of a plan, and its progress.
public struct RecurringCharge: Sendable, Hashable, Identifiable {
    /// The period's name. It is the payment's name as well (``RecurringCharge/reference``): a second payment under it
    /// joins the first.
    public struct ID: Sendable, Hashable, CustomStringConvertible {
        /// The plan.
        public let plan: RecurringPlan.ID
        /// The period's number.
        public let number: Int

        /// Creates the name of a period.
        public init(plan: RecurringPlan.ID, number: Int) {
            self.plan = plan
            self.number = number
        }

        /// The plan, a slash and the number: no two periods have the same.
        public var description: String { "\(plan.rawValue)/\(number)" }
    }

    /// The reason for which a period was not charged, and never will be.
    @nonexhaustive
    public enum Reason: Sendable, Hashable {
        /// No scheduler ran when it began, and the policy does not catch up with it.
        case absence
        /// The plan was paused.
        case paused
        /// The plan was ended.
        case ended
        /// The payer was asked, and has not answered in time.
        case notApproved
        /// The payer has declined it.
        case refused
        /// The payment was declined as often as the policy tries; the text gives the reason.
        case declined(String)
        /// It could not be paid for as long as the policy tries; the text gives the reason.
        case failed(String)
        /// The time zone left the day out.
        case noSuchDay
    }

    /// The progress of a charge.
    @nonexhaustive
    public enum State: Sendable, Hashable {
        /// It is to be paid, and no worker has it.
        case due
        /// It is to be paid, and not yet: the payer was notified in advance.
        case announced
        /// A worker has begun to pay. Only that payer knows whether money moved.
        case started
        /// The payer is to decide whether it is paid; the text gives the reason for asking.
        case waiting(String)
        /// It is not known whether it was paid; the text gives the reason. It is asked about, and not paid again.
        case unknown(String)
        /// It was paid. The transaction's id where there is one.
        case paid(transactionID: String?)
        /// It was not paid, and will not be.
        case missed(Reason)

        /// True if nothing changes any more.
        public var isFinal: Bool {
            switch self {
            case .paid, .missed: true
            case .due, .announced, .started, .waiting, .unknown: false
            }
        }

        /// True if money may have moved, and the outcome is not known yet.
        public var isOpen: Bool {
            switch self {
            case .started, .unknown: true
            case .due, .announced, .waiting, .paid, .missed: false
            }
        }
    }

    /// The period's name.
    public let id: ID
    /// The provider that pays it.
    public let provider: ProviderID
    /// The amount of the plan when the period was opened.
    public let amount: Money
    /// The period.
    public let period: RecurringPeriod
    /// The date on which it is abandoned, unless it was begun.
    public let deadline: Date
    /// The progress.
    public var state: State
    /// The number of times that a worker has begun to pay it.
    public var attempts: Int
    /// The number of consecutive failures.
    public var failures: Int
    /// The date before which no worker looks at it.
    public var notBefore: Date
    /// True if the payer has approved it.
    public var isApproved: Bool
    /// The terms that the payer was asked about, was notified of or has approved (``RecurringPayer/terms(of:)``); nil
    /// before. Under other terms the period is not paid: the payer is asked again.
    public var terms: JSONValue?

    /// Creates a charge, as journals do.
    public init(
        id: ID, provider: ProviderID, amount: Money, period: RecurringPeriod, deadline: Date, state: State = .due,
        attempts: Int = 0, failures: Int = 0, notBefore: Date, isApproved: Bool = false,
        terms: JSONValue? = nil
    ) {
        self.id = id
        self.provider = provider
        self.amount = amount
        self.period = period
        self.deadline = deadline
        self.state = state
        self.attempts = attempts
        self.failures = failures
        self.notBefore = notBefore
        self.isApproved = isApproved
        self.terms = terms
    }

    init(of plan: RecurringPlan, _ period: RecurringPeriod, missed reason: Reason?, at now: Date) {
        self.init(
            id: ID(plan: plan.id, number: period.number), provider: plan.provider, amount: plan.amount, period: period,
            deadline: max(period.start, now.addingTimeInterval(plan.policy.notice / .seconds(1)))
                .addingTimeInterval(plan.policy.grace / .seconds(1)),
            state: reason.map(State.missed) ?? .due, notBefore: now)
    }

    /// True if no worker has begun to pay it, and the payer has answered nothing about it: such a period can be opened
    /// again, also where it is missed.
    public var isUntouched: Bool {
        guard attempts == 0, !isApproved else { return false }
        switch state {
        case .due, .announced: return true
        case .missed(.refused), .missed(.noSuchDay): return false
        case .missed: return true
        case .started, .waiting, .unknown, .paid: return false
        }
    }

    /// Returns the period as it is opened in its time; nil where its time has come by `now`, or something was sent or
    /// answered for it.
    func reopened(at now: Date, of plan: RecurringPlan) -> RecurringCharge? {
        let opening = opening(in: plan)
        guard isUntouched, opening > now else { return nil }
        return RecurringCharge(
            id: id, provider: provider, amount: amount, period: period,
            deadline: period.start.addingTimeInterval(plan.policy.grace / .seconds(1)), notBefore: opening)
    }

    /// Returns the date from which the period is opened, and the payer is notified of it.
    func opening(in plan: RecurringPlan) -> Date {
        period.start.addingTimeInterval(-(plan.policy.opening / .seconds(1)))
    }

    /// The permanent name of the period's payment in leases, attempts and outcomes.
    public var reference: PaymentReference { PaymentReference(provider: provider, id: id.description) }
}

extension RecurringCharge.Reason: CustomStringConvertible {
    /// A few words for people.
    public var description: String {
        switch self {
        case .absence: "no application was running to pay it"
        case .paused: "it was paused"
        case .ended: "it was ended"
        case .notApproved: "it was not approved"
        case .refused: "the payer said no"
        case .declined(let text): "declined: \(text)"
        case .failed(let text): "it could not be paid: \(text)"
        case .noSuchDay: "the time zone has no such day"
        }
    }
}
