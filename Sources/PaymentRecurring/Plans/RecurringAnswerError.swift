/// The reason for which a payer's answer about a period has no effect.
@nonexhaustive
public enum RecurringAnswerError: Error, Sendable, Hashable {
    /// The period was not opened: there is nothing to answer yet.
    case notOpened(RecurringCharge.ID)
    /// No period of the plan waits for an answer, or was announced.
    case notAsked(RecurringPlan.ID)
    /// Another worker has had the period for half a minute. Answer again.
    case inUse(RecurringCharge.ID)
    /// The period has ended, its payment was begun, or the time for an approval is over.
    case tooLate(RecurringCharge.ID)
    /// The plan is paused or ended, or the period begins in a pause of it or after its end.
    case notCharged(RecurringCharge.ID)
    /// The plan's terms have changed since the payer was asked. The payer is asked again, about those of now.
    case changed(RecurringCharge.ID)

    /// The time for which an answer waits for another worker.
    static let longestWait = Duration.seconds(30)
}

extension RecurringAnswerError: CustomStringConvertible {
    /// The event and the remedy, for people.
    public var description: String {
        switch self {
        case .notOpened(let id): "the period \(id) was not opened; there is nothing to answer yet"
        case .notAsked(let plan): "no period of the plan \(plan) waits for an answer; list those that do"
        case .inUse(let id): "the period \(id) is in use by another worker; the answer is not stored: give it again"
        case .tooLate(let id): "the period \(id) has ended, was begun or is too late; the answer changes nothing"
        case .notCharged(let id):
            "the plan of the period \(id) is paused or ended, and nothing is paid; resume the plan before the answer"
        case .changed(let id):
            "the plan of the period \(id) was changed since the payer was asked; look at it, and answer again"
        }
    }
}
