#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// One entry in the journal.
public struct JournalEntry: Sendable, Hashable, Codable {
    /// The kinds of events.
    @nonexhaustive
    public enum Event: Sendable, Hashable, Codable {
        /// A step is about to run.
        case stepStarted(name: String, kind: StepKind)
        /// A step ended with this result.
        case stepFinished(name: String, result: JSONValue)
        /// A step ended without effect: the service refused, or, where `wasSent` is false, nothing left this device.
        /// The text has no secrets.
        case stepFailed(name: String, reason: String, wasSent: Bool = true)
        /// The attempt reached an outcome. Only a final one ends it.
        case outcome(PaymentOutcome)
        /// The attempt ended before anything could move money. The text has no secrets.
        case abandoned(reason: String)
    }

    /// The date of the event.
    public let date: Date
    /// The event.
    public let event: Event
    /// The router's proof that it wrote the entry, here and after the entries before it; see ``PaymentAttempt/seal``.
    public var seal: String?

    /// True if nothing more happens to the attempt after this.
    public var isEnding: Bool {
        switch event {
        case .outcome(let outcome): outcome.isFinal
        case .abandoned: true
        default: false
        }
    }

    /// True if the attempt ended with the payment or the refund made.
    public var provesPayment: Bool { if case .outcome(.succeeded) = event { true } else { false } }

    /// Creates an entry.
    public init(date: Date, event: Event, seal: String? = nil) {
        self.date = date
        self.event = event
        self.seal = seal
    }
}
