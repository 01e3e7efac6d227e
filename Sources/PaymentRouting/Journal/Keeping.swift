public import PaymentCore

/// The rules for what a journal may lose, erase and remove.
extension JournalEntry {
    /// Returns true if a power failure may undo the entry, together with all that follow it: it ends nothing, and
    /// nothing of its attempt can have moved money. All others are on the disk before their writer continues. The
    /// opening of an attempt is never lost either.
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
    /// Returns true if `entry` may be added: to an attempt that has not ended any, and to one that ended unpaid the
    /// correction that it was paid after all.
    public func takes(_ entry: JournalEntry) -> Bool {
        !isFinished || entry.provesPayment && !entries.contains(where: \.provesPayment)
    }

    /// True if it proves what happened to money: it was paid, or something that moves money began.
    public var isProof: Bool { hasBegunMutation || entries.contains(where: \.provesPayment) }

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
