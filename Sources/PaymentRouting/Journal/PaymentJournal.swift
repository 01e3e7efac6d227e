public import PaymentCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The durable memory of attempts and leases: all that a router needs to pay once.
///
/// Leases and attempts belong together: a journal writes nothing about a payment under a lease that is not held at that
/// very moment, in one atomic step that no takeover can interrupt. `JournalConformance` in `PaymentTesting` checks any
/// journal against these rules. One that also lists and prunes what it holds is an ``AttemptArchive``.
///
/// A router holds the lease while it writes:
///
/// ```swift
/// let lease = PaymentLease(payment: attempt.reference, holder: holder, duration: .seconds(30))
/// guard try await journal.acquire(lease, at: clock.now) else { return }
/// try await journal.open(attempt, under: lease)
/// try await journal.append(JournalEntry(date: clock.now, event: .outcome(outcome)), to: attempt.id, under: lease)
/// try await journal.release(lease)
/// ```
///
/// See <doc:Journals> for the rules of writing one.
public protocol PaymentJournal: LeaseStore, AttemptStore {}

// MARK: - Leases

/// The leases of payments: one holder at a time for each.
///
/// Several routers, also in several processes, may share one store. A router that works on a payment holds its
/// ``PaymentLease``. Only the holder writes about the payment. That alone keeps two routers from making a payment
/// twice, however late a stalled one resumes: its writes are refused as soon as another router has taken over.
///
/// Payments are distinguished as ``PaymentReference`` compares them, and holders by their bytes, not as Swift compares
/// texts. The loss of leases in a power failure does no harm: their holders are gone as well.
public protocol LeaseStore: Sendable {
    /// Takes the lease of a payment, unless another living holder has renewed it within its duration, which ends at
    /// ``PaymentLease/end(from:)``. The holder may ask again. That counts as a renewal.
    ///
    /// A store that can tell that a holder's process has ended need not wait for that holder.
    ///
    /// - Parameters:
    ///   - lease: the payment, its prospective holder and the duration.
    ///   - now: the holder's time.
    /// - Returns: true if the lease was taken. Otherwise nothing changes.
    /// - Throws: ``JournalError`` when the storage fails.
    func acquire(_ lease: PaymentLease, at now: Date) async throws -> Bool

    /// Makes a held lease count from `now` on. Every ``AttemptStore/append(_:to:under:)`` does so too. As long as no
    /// other holder took over, a lease can be renewed after its end.
    ///
    /// - Parameters:
    ///   - lease: the lease as it was taken.
    ///   - now: the holder's time.
    /// - Throws: ``JournalError/leaseLost(_:)`` when another holder took over, or the lease was released.
    func renew(_ lease: PaymentLease, at now: Date) async throws

    /// Releases a lease. Does nothing when it is no longer held.
    ///
    /// - Throws: ``JournalError`` when the storage fails; the lease then ends by itself.
    func release(_ lease: PaymentLease) async throws
}

/// The right to write about one payment in a shared journal, held by one worker at a time.
public struct PaymentLease: Sendable, Hashable {
    /// The payment.
    public let payment: PaymentReference
    /// The holder's id: random, and new for each holding. A lost lease is never mistaken for a later one.
    public let holder: String
    /// The time that the holder may be silent before others may take over.
    public let duration: Duration

    /// Creates a lease.
    public init(payment: PaymentReference, holder: String, duration: Duration) {
        self.payment = payment
        self.holder = holder
        self.duration = duration
    }
}

extension PaymentLease {
    /// Returns the moment from which others may take over if the holder does not renew the lease.
    ///
    /// - Parameter now: the moment of the last renewal.
    public func end(from now: Date) -> Date { now.addingTimeInterval(duration / .seconds(1)) }
}

// MARK: - Attempts

/// The attempts and their progress: written by the holder of the payment's lease, read by any process.
///
/// Every method returns only when its writes survive the end of the process. Writes that keep a payment from being made
/// twice also survive the end of the machine: the opening of an attempt, and every entry of which
/// `JournalEntry.mayBeLost(afterMutation:)` is false. The others may be lost then, the last ones first. Nothing of the
/// attempt had been sent by then, so a resumed attempt only asks again.
///
/// Reads return exactly what was written: texts, numbers, dates to the last bit, seals. A write that throws has stored
/// either nothing or everything. After an error, read before continuing.
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
    /// An attempt that ended unpaid takes one more entry: the correction that it was paid
    /// (`AttemptHistory.takes(_:)`). It counts as paid from then on.
    ///
    /// - Parameters:
    ///   - entry: the event, with its date.
    ///   - attempt: the attempt that the entry belongs to.
    ///   - lease: the lease of the payment, held by the caller.
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

/// The rules for what a journal may lose, erase and remove.
extension JournalEntry {
    /// Returns true if a power failure may undo the entry, together with all that follow it. Such an entry ends
    /// nothing, and nothing of its attempt can have moved money. All other entries are on the disk before their writer
    /// continues. The opening of an attempt is never lost either.
    ///
    /// - Parameter afterMutation: true if a mutation of the attempt began before (``AttemptHistory/hasBegunMutation``).
    public func mayBeLost(afterMutation: Bool) -> Bool {
        switch event {
        case .stepStarted(_, let kind): !kind.movesMoney && !afterMutation
        case .outcome, .abandoned: false
        case .stepFinished, .stepFailed: !afterMutation
        }
    }
}

extension AttemptHistory {
    /// Returns true if `entry` may be added. An attempt that has not ended takes any entry. An attempt that ended
    /// unpaid takes one: the correction that it was paid after all.
    public func takes(_ entry: JournalEntry) -> Bool {
        !isFinished || entry.provesPayment && !entries.contains(where: \.provesPayment)
    }

    /// True if it proves that money moved or may have moved: the payment was made, or a step that moves money began.
    public var isProof: Bool { hasBegunMutation || entries.contains(where: \.provesPayment) }

    /// Erases the answers of the payer's wallet and forms. Every journal does so with the stored entries when an
    /// attempt ends.
    ///
    /// The results of the ``StepKind/interaction`` steps become `null`. Their dates, names and seals stay, as do the
    /// results of all other steps.
    public mutating func eraseInteractions() {
        let erased = erasedNames
        for index in entries.indices {
            guard case .stepFinished(let name, _) = entries[index].event, erased.contains(name) else { continue }
            entries[index] = JournalEntry(
                date: entries[index].date, event: .stepFinished(name: name, result: .null), seal: entries[index].seal)
        }
    }

    /// The steps whose results are the payer's own answers.
    package var erasedNames: Set<String> {
        Set(
            entries.compactMap {
                if case .stepStarted(let name, let kind) = $0.event, kind.isErased { name } else { nil }
            })
    }
}

// MARK: - Errors

/// Why a journal could not open, read or write. In each case, the journal is no worse than before.
@nonexhaustive
public enum JournalError: Error, Sendable, Hashable {
    /// An attempt of this id exists.
    case duplicateAttempt(AttemptID)
    /// There is no attempt of this id.
    case unknownAttempt(AttemptID)
    /// An earlier attempt at the payment has not ended.
    case unfinishedAttempt(AttemptID)
    /// The attempt has ended; nothing can be added.
    case finishedAttempt(AttemptID)
    /// Another worker holds the lease of the payment now, or has released what was reserved for the attempt.
    case leaseLost(PaymentReference)
    /// The file is not a journal.
    case notAJournal(path: String)
    /// The file was written by a newer version of this software.
    case newerVersion(path: String, found: Int, supported: Int)
    /// The file is damaged; the text names the place.
    case damaged(path: String, detail: String)
    /// The file cannot be opened, read or written; the text gives the reason.
    case inaccessible(path: String, detail: String)
    /// The disk is full, or the file may not grow.
    case full(path: String)
    /// Other processes kept the file locked for longer than the journal waits.
    case locked(path: String, waited: Duration = .zero)
    /// The file has tables, columns, views or triggers that no version of this software makes; the text names one.
    case unexpectedSchema(path: String, detail: String)
    /// The file was deleted, moved or replaced while it was in use. Other processes would not see what is written to
    /// it.
    case replaced(path: String)
    /// A value is larger than any value of a payment.
    case tooLarge(path: String, bytes: Int, limit: Int)
    /// The maximum number of notifications of one service wait already.
    case tooManyNotifications(path: String, limit: Int)
}

extension JournalError: CustomStringConvertible {
    /// A message for people: what happened, then what to do.
    public var description: String {
        switch self {
        case .duplicateAttempt(let id): "the journal already holds an attempt \(id)"
        case .unknownAttempt(let id): "the journal holds no attempt \(id)"
        case .unfinishedAttempt(let id): "the attempt \(id) at this payment has not ended; resume it first"
        case .finishedAttempt(let id): "the attempt \(id) has ended; nothing can be added to it"
        case .leaseLost: "another process has taken this payment over; ask the journal for its outcome"
        case .notAJournal(let path): "'\(path)' is not a payment journal; it was left as it is, name another file"
        case .newerVersion(let path, let found, let supported):
            "the journal '\(path)' has version \(found), this program knows up to \(supported); "
                + "it was left as it is, use a newer program"
        case .damaged(let path, let detail):
            "the journal '\(path)' is damaged (\(detail)); keep it, restore a copy or name another file"
        case .inaccessible(let path, let detail): "the journal '\(path)' cannot be used: \(detail)"
        case .full(let path): "there is no room to write the journal '\(path)'; free some and try again"
        case .locked(let path, let waited):
            "another process keeps the journal '\(path)' locked"
                + (waited > .zero ? " and did not let go of it for \(waited.formatted) s" : "")
                + "; nothing was written. Look for a stopped program that uses it, and try again"
        case .unexpectedSchema(let path, let detail):
            "the journal '\(path)' was changed by something else: \(detail); do not pay with it, restore a copy or name "
                + "another file"
        case .replaced(let path):
            "the journal '\(path)' was deleted or replaced while a program uses it; put it back, or end every program "
                + "that uses it, before anything is paid"
        case .tooLarge(let path, let bytes, let limit):
            "the journal '\(path)' takes no value of \(bytes > 0 ? "\(bytes)" : "more than \(limit)") bytes; at most "
                + "\(limit) are accepted"
        case .tooManyNotifications(let path, let limit):
            "\(limit) notifications of this service wait in the journal '\(path)', and no more are kept; answer with "
                + "status 503, so that the service sends this one again, and look at what the workers report"
        }
    }
}

extension Duration {
    /// Seconds, with as many decimals as are not zero, at most three.
    fileprivate var formatted: String {
        let milliseconds = Int(self / .milliseconds(1))
        var text = "\(milliseconds / 1000).\(String(milliseconds % 1000 + 1000).dropFirst())"
        while text.hasSuffix("0") { text.removeLast() }
        return text.hasSuffix(".") ? String(text.dropLast()) : text
    }
}
