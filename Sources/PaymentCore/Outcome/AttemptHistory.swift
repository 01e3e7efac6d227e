#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// An attempt and all its stored entries.
public struct AttemptHistory: Sendable, Hashable {
    /// The attempt.
    public let attempt: PaymentAttempt
    /// Its entries, oldest first.
    public var entries: [JournalEntry]

    /// Creates a history.
    public init(attempt: PaymentAttempt, entries: [JournalEntry] = []) {
        self.attempt = attempt
        self.entries = entries
    }

    /// The last outcome stored.
    public var outcome: PaymentOutcome? {
        for case .outcome(let outcome) in entries.reversed().map(\.event) { return outcome }
        return nil
    }

    /// True if nothing more will happen to the attempt.
    public var isFinished: Bool {
        entries.contains(where: \.isEnding)
    }

    /// The date of its end; nil while it is in progress.
    public var endedAt: Date? { entries.last(where: \.isEnding)?.date }

    /// Everything that the attempt has begun and that can move money.
    package var authorities: Authorities { Authorities(entries) }

    /// True if anything that moves money ever began, whatever its outcome.
    public var hasBegunMutation: Bool { authorities.haveBegun }

    /// True if a mutation or a transfer by the payer's wallet began whose end is not stored as being without effect, or
    /// a request handed in a signature that pays, whatever the answer: money may have moved.
    public var mayHaveMovedMoney: Bool { authorities.mayHaveMovedMoney }

    /// The transfers that the payer's wallet or settler may have sent by itself, where no service sees them: for each
    /// such step the transaction's id or the settlement's proof, nil where none was reported.
    public var walletTransfers: [String?] { authorities.transfers }
}
