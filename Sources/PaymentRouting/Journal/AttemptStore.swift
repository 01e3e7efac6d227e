public import PaymentCore

/// The attempts and their progress: written by the holder of the payment's lease, read by any process.
///
/// Every method returns only when its writes survive the end of the process. Writes that keep a payment from being made
/// twice also survive the end of the machine: the opening of an attempt, and every entry of which
/// `JournalEntry.mayBeLost(afterMutation:)` is false. The others may be lost then, the last ones first: nothing of
/// the attempt had left by then, and it only asks again.
///
/// Reads return exactly what was written: texts, numbers, dates to the last bit, seals. A write that throws has stored
/// either nothing or all that it was to store: after an error, read before continuing.
public protocol AttemptStore: Sendable {
    /// Stores the beginning of an attempt at the lease's payment, and renews the lease.
    ///
    /// - Parameters:
    ///   - attempt: the attempt that begins.
    ///   - lease: the lease of its payment, held by the caller.
    /// - Throws: ``JournalError``; `leaseLost`, also when what was reserved for the attempt is released in a journal
    ///   that is a ``SpendingStore``; `duplicateAttempt`; or `unfinishedAttempt` when an earlier attempt at the payment
    ///   has not ended.
    func open(_ attempt: PaymentAttempt, under lease: PaymentLease) async throws

    /// Adds an entry to an attempt at the lease's payment, and renews the lease as of the entry's date.
    ///
    /// An entry that ends the attempt (``JournalEntry/isEnding``) also erases the results of its
    /// ``StepKind/interaction`` steps (`AttemptHistory.eraseInteractions()`): signatures and the like are kept no
    /// longer than a resumption could need them.
    ///
    /// - Parameters:
    ///   - entry: the event, with its date.
    ///   - attempt: the attempt that the entry belongs to.
    ///   - lease: the lease of the payment, held by the caller.
    /// An attempt that ended unpaid takes one more entry: the correction that it was paid
    /// (`AttemptHistory.takes(_:)`). It counts as paid from then on.
    ///
    /// - Throws: ``JournalError``; `leaseLost`, `unknownAttempt`, or `finishedAttempt` when the attempt has ended.
    func append(_ entry: JournalEntry, to attempt: AttemptID, under lease: PaymentLease) async throws

    /// Returns an attempt with all its entries, or nil.
    ///
    /// - Returns: the attempt with all its entries; nil when there is none of this id.
    /// - Throws: ``JournalError`` when the storage cannot be read.
    func history(of attempt: AttemptID) async throws -> AttemptHistory?

    /// Returns all attempts at a payment, oldest first.
    ///
    /// - Returns: the attempts with their entries; an empty list when there was none.
    /// - Throws: ``JournalError`` when the storage cannot be read.
    func histories(of payment: PaymentReference) async throws -> [AttemptHistory]

    /// Returns all attempts at refunds of the same account that have the id of a refund, or are of its payment, oldest
    /// first. A refund that does not name its payment is not among them.
    ///
    /// A router asks for them before it refunds: an id stands for one refund in the whole account.
    ///
    /// - Parameter refund: the reference of the refund, with its payment.
    /// - Returns: the attempts with their entries, those at `refund` itself among them.
    /// - Throws: ``JournalError`` when the storage cannot be read.
    func refunds(relatedTo refund: PaymentReference) async throws -> [AttemptHistory]

    /// Returns all attempts without a final outcome, oldest first.
    ///
    /// - Throws: ``JournalError`` when the storage cannot be read.
    func unfinished() async throws -> [AttemptHistory]
}
