public import PaymentCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// What is paid for one period of a plan, and how far that has come.
public struct RecurringCharge: Sendable, Hashable, Identifiable {
    /// The period's name. It is the payment's name as well (``RecurringCharge/reference``): whoever pays under it twice
    /// is joined to the first time.
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

    /// Why a period was not charged, and never will be.
    @nonexhaustive
    public enum Reason: Sendable, Hashable {
        /// Nobody was there when it began, and the policy does not catch up with it.
        case absence
        /// The plan was paused.
        case paused
        /// The plan was ended.
        case ended
        /// The payer was asked, and has not answered in time.
        case notApproved
        /// The payer has said no.
        case refused
        /// The payment was declined as often as the policy tries; the text says why.
        case declined(String)
        /// It could not be paid for as long as the policy tries; the text says why.
        case failed(String)
        /// The time zone left the day out.
        case noSuchDay
    }

    /// How far it has come.
    @nonexhaustive
    public enum State: Sendable, Hashable {
        /// It is to be paid, and nobody is at it.
        case due
        /// It is to be paid, and not yet: the payer was told beforehand.
        case announced
        /// Somebody has begun to pay. Whether money moved only they know who pay.
        case started
        /// The payer is to say whether it is paid; the text says why they are asked.
        case waiting(String)
        /// Whether it was paid is not known; the text says why. It is asked about, and not paid again.
        case unknown(String)
        /// It was paid. The transaction's id where there is one.
        case paid(transactionID: String?)
        /// It was not paid, and will not be.
        case missed(Reason)

        /// Whether nothing changes any more.
        public var isFinal: Bool {
            switch self {
            case .paid, .missed: true
            case .due, .announced, .started, .waiting, .unknown: false
            }
        }

        /// Whether money may have moved, and nobody can say so yet.
        public var isOpen: Bool {
            switch self {
            case .started, .unknown: true
            case .due, .announced, .waiting, .paid, .missed: false
            }
        }
    }

    /// The period's name.
    public let id: ID
    /// Who pays it.
    public let provider: ProviderID
    /// What is paid: as the plan said when the period was opened.
    public let amount: Money
    /// The period.
    public let period: RecurringPeriod
    /// When it is given up, unless it was begun.
    public let deadline: Date
    /// How far it has come.
    public var state: State
    /// How often somebody has begun to pay it.
    public var attempts: Int
    /// How often in a row something went wrong.
    public var failures: Int
    /// Nobody looks at it before.
    public var notBefore: Date
    /// Whether the payer has said that it is to be paid.
    public var isApproved: Bool

    /// Creates a charge, as journals do.
    public init(
        id: ID, provider: ProviderID, amount: Money, period: RecurringPeriod, deadline: Date, state: State = .due,
        attempts: Int = 0, failures: Int = 0, notBefore: Date, isApproved: Bool = false
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
    }

    init(of plan: RecurringPlan, _ period: RecurringPeriod, missed reason: Reason?, at now: Date) {
        self.init(
            id: ID(plan: plan.id, number: period.number), provider: plan.provider, amount: plan.amount, period: period,
            deadline: max(period.start, now.addingTimeInterval(plan.policy.notice / .seconds(1)))
                .addingTimeInterval(plan.policy.grace / .seconds(1)),
            state: reason.map(State.missed) ?? .due, notBefore: now)
    }

    /// What leases, attempts and outcomes call the period's payment, for ever.
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
