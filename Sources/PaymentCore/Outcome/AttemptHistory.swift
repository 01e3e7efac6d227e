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

    /// True if it proves what happened to money: it was paid, or something that moves money began.
    public var isProof: Bool { hasBegunMutation || entries.contains(where: \.provesPayment) }

    /// True if anything that moves money ever began, whatever its outcome.
    public var hasBegunMutation: Bool {
        entries.contains { if case .stepStarted(_, let kind) = $0.event { kind.movesMoney } else { false } }
    }

    /// True if a mutation or a transfer by the payer's wallet began whose end is not stored as being without effect, or
    /// a request handed in a signature that pays, whatever the answer: money may have moved.
    public var mayHaveMovedMoney: Bool { !openSteps(where: \.movesMoney).isEmpty || signaturesEnd != nil }

    /// The date until which money may be taken by the signatures that a request has handed in; nil if none did.
    package var signaturesEnd: Date? {
        var signatures = HandedInSignatures()
        for entry in entries { signatures.take(entry.event) }
        return signatures.end
    }

    /// True if a step that may have moved money began whose end is not stored at all.
    package var hasUnresolvedMutation: Bool {
        var open = openSteps(where: \.movesMoney)
        for case .stepFinished(let name, _) in entries.map(\.event) { open.remove(name) }
        return !open.isEmpty
    }

    /// True if a step that may have moved money ended well: the service took it.
    package var hasAcceptedMutation: Bool {
        let open = openSteps(where: \.movesMoney)
        return entries.contains { if case .stepFinished(let name, _) = $0.event { open.contains(name) } else { false } }
    }

    /// The transfers that the payer's wallet or settler may have sent by itself, where no service sees them: for each
    /// such step the transaction's id or the settlement's proof, nil where none was reported.
    public var walletTransfers: [String?] {
        let open = openSteps(where: \.movesMoneyUnseen)
        var transactions: [String: String] = [:]
        for case .stepFinished(let name, let result) in entries.map(\.event) { transactions[name] = result.string }
        return open.sorted().map { transactions[$0] }
    }

    /// True if a settlement began whose end is not stored as being without effect.
    package var hasOpenSettlement: Bool { !openSteps { $0 == .settlement }.isEmpty }

    /// True if the payer's settler was asked to pay, and answered that it sent nothing, and never will.
    package var wasRefusedBySettler: Bool {
        entries.contains {
            if case .stepFailed(StepKind.settlementName, _, wasSent: true) = $0.event { true } else { false }
        }
    }

    /// The steps of such a kind that began and did not end without effect, unless the worker of the attempt abandoned
    /// it, which only one that has sent nothing does, or a person decided that they had none.
    private func openSteps(where isWanted: (StepKind) -> Bool) -> Set<String> {
        if case .declined(let reason)? = outcome, reason.code == .decided { return [] }
        var open: Set<String> = []
        for entry in entries {
            switch entry.event {
            case .abandoned: return []
            case .stepStarted(let name, let kind) where isWanted(kind): open.insert(name)
            case .stepFailed(let name, _, _): open.remove(name)
            default: break
            }
        }
        return open
    }
}

extension AttemptHistory {
    /// Erases the answers of the payer's wallet and forms. Every journal does so with the stored entries when an
    /// attempt ends.
    ///
    /// The results of the ``StepKind/interaction`` steps become `null`; their dates, names and seals stay, and the
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
