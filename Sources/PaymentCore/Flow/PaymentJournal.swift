#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The durable memory of attempts. Every method returns only when what it wrote survives the end of the process. What
/// keeps a payment from being made twice also survives the end of the machine: the opening of an attempt, its endings,
/// and every entry from the start of its first mutation on. Earlier entries may be lost then, the last ones first: nothing
/// of the attempt had left by then, and it only asks again.
///
/// What is read is exactly what was written: texts, numbers, dates to the last bit, seals.
///
/// Several routers, also in several processes, may share one journal. Whoever works on a payment holds its
/// ``PaymentLease``; only the holder writes about the payment. That alone keeps a payment from being made twice by two
/// of them, however late a stalled one goes on: its writes are refused from the moment another took over.
public protocol PaymentJournal: Sendable {
    /// Takes the lease of a payment, unless another holder has it, lives and was heard of within its duration.
    ///
    /// - Returns: whether the lease was taken. Not taking it changes nothing.
    func acquire(_ lease: PaymentLease, at now: Date) async throws -> Bool

    /// Makes a held lease count from `now` on. Every ``append(_:to:under:)`` does so too.
    ///
    /// - Throws: ``JournalError/leaseLost(_:)`` when another holder took over.
    func renew(_ lease: PaymentLease, at now: Date) async throws

    /// Gives a lease back. Does nothing when it is not held any more.
    func release(_ lease: PaymentLease) async throws

    /// Stores the beginning of an attempt at the lease's payment.
    ///
    /// - Throws: ``JournalError``; `leaseLost`, `duplicateAttempt`, or `unfinishedAttempt` when an earlier attempt at
    ///   the payment has not ended.
    func open(_ attempt: PaymentAttempt, under lease: PaymentLease) async throws

    /// Adds an entry to an attempt at the lease's payment.
    ///
    /// An entry that ends the attempt also erases the results of its ``StepKind/interaction`` steps: signatures and
    /// the like are kept no longer than a resumption could need them.
    ///
    /// - Throws: ``JournalError``; `leaseLost`, `unknownAttempt`, or `finishedAttempt` when the attempt has ended.
    func append(_ entry: JournalEntry, to attempt: AttemptID, under lease: PaymentLease) async throws

    /// An attempt with all its entries, or nil.
    func history(of attempt: AttemptID) async throws -> AttemptHistory?

    /// All attempts at a payment, oldest first.
    func histories(of payment: PaymentReference) async throws -> [AttemptHistory]

    /// All attempts without a final outcome, oldest first.
    func unfinished() async throws -> [AttemptHistory]
}

/// One entry in the journal.
public struct JournalEntry: Sendable, Hashable, Codable {
    /// What happened.
    public enum Event: Sendable, Hashable, Codable {
        /// A step is about to run.
        case stepStarted(name: String, kind: StepKind)
        /// A step ended with this result.
        case stepFinished(name: String, result: JSONValue)
        /// A step ended without effect: nothing left, or the service refused. The text has no secrets.
        case stepFailed(name: String, reason: String)
        /// The attempt reached an outcome. Only a final one ends it.
        case outcome(PaymentOutcome)
        /// The attempt ended before anything could move money. The text has no secrets.
        case abandoned(reason: String)
    }

    /// When.
    public let date: Date
    /// What happened.
    public let event: Event
    /// What the router proves with that it wrote the entry, here and after the entries before it; see
    /// ``PaymentAttempt/seal``.
    public var seal: String?

    /// Whether nothing more happens to the attempt after this.
    public var isEnding: Bool {
        switch event {
        case .outcome(let outcome): outcome.isFinal
        case .abandoned: true
        default: false
        }
    }

    /// Whether the attempt ended with the payment made.
    package var provesPayment: Bool { if case .outcome(.succeeded) = event { true } else { false } }

    /// Whether a failure of the power may take the entry back, together with all that follow it: it ends nothing, and
    /// nothing of its attempt can have moved money. All others are on the disk before their writer goes on.
    ///
    /// - Parameter afterMutation: whether a mutation of the attempt began before.
    package func mayBeLost(afterMutation: Bool) -> Bool {
        switch event {
        case .stepStarted(_, let kind): !kind.movesMoney && !afterMutation
        case .outcome, .abandoned: false
        case .stepFinished, .stepFailed: !afterMutation
        }
    }

    /// Makes an entry.
    public init(date: Date, event: Event, seal: String? = nil) {
        self.date = date
        self.event = event
        self.seal = seal
    }
}

/// An attempt and everything that is stored of it.
public struct AttemptHistory: Sendable, Hashable {
    /// The attempt.
    public let attempt: PaymentAttempt
    /// Its entries, oldest first.
    public var entries: [JournalEntry]

    /// Makes a history.
    public init(attempt: PaymentAttempt, entries: [JournalEntry] = []) {
        self.attempt = attempt
        self.entries = entries
    }

    /// The last outcome stored.
    public var outcome: PaymentOutcome? {
        for case .outcome(let outcome) in entries.reversed().map(\.event) {
            return outcome.renamed(to: attempt.reference)
        }
        return nil
    }

    /// Whether nothing more will happen to the attempt.
    public var isFinished: Bool {
        entries.contains(where: \.isEnding)
    }

    /// Whether a mutation ever began, whatever became of it.
    package var hasBegunMutation: Bool {
        entries.contains { if case .stepStarted(_, let kind) = $0.event { kind.movesMoney } else { false } }
    }

    /// Whether a mutation or a transfer by the payer's wallet began whose end is not stored as being without effect:
    /// money may have moved.
    public var mayHaveMovedMoney: Bool { !openSteps(where: \.movesMoney).isEmpty }

    /// Whether a step that may have moved money ended well: the service took it.
    package var hasAcceptedMutation: Bool {
        let open = openSteps(where: \.movesMoney)
        return entries.contains { if case .stepFinished(let name, _) = $0.event { open.contains(name) } else { false } }
    }

    /// What the payer's wallet may have sent by itself, where no service sees it: for each such step the transaction's
    /// id, nil where the wallet never told it.
    public var walletTransfers: [String?] {
        let open = openSteps { $0 == .walletTransfer }
        var transactions: [String: String] = [:]
        for case .stepFinished(let name, let result) in entries.map(\.event) { transactions[name] = result.string }
        return open.sorted().map { transactions[$0] }
    }

    /// The steps of such a kind that began and did not end without effect.
    private func openSteps(where isWanted: (StepKind) -> Bool) -> Set<String> {
        var open: Set<String> = []
        for entry in entries {
            switch entry.event {
            case .stepStarted(let name, let kind) where isWanted(kind): open.insert(name)
            case .stepFailed(let name, _): open.remove(name)
            default: break
            }
        }
        return open
    }
}

extension PaymentLease {
    /// When others may take over if nothing more is heard of the holder.
    package func end(from now: Date) -> Date { now.addingTimeInterval(duration / .seconds(1)) }
}

extension AttemptHistory {
    /// Erases what the payer's wallet or forms answered: what every journal does when an attempt ends.
    package mutating func eraseInteractions() {
        let interactions = interactionNames
        for index in entries.indices {
            guard case .stepFinished(let name, _) = entries[index].event, interactions.contains(name) else { continue }
            entries[index] = JournalEntry(
                date: entries[index].date, event: .stepFinished(name: name, result: .null), seal: entries[index].seal)
        }
    }

    /// The steps that asked the payer for something.
    package var interactionNames: Set<String> {
        Set(entries.compactMap { if case .stepStarted(let name, .interaction) = $0.event { name } else { nil } })
    }
}
