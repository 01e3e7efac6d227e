import PaymentCore

/// Writes sealed attempts and entries about one payment. Each seal is over the one before, so entries must come one
/// after the other, as ``LeasedJournal`` has them written.
actor SealedWriter {
    /// An attempt's record was changed by another writer: nothing is added to it.
    struct SealFormatError: Error {}

    private struct Tip {
        var count: Int
        var seal: String
    }

    private let base: any PaymentJournal
    private let key: JournalKey
    private var tips: [AttemptID: Tip] = [:]

    init(_ base: any PaymentJournal, _ key: JournalKey) {
        self.base = base
        self.key = key
    }

    func open(_ attempt: PaymentAttempt, under lease: PaymentLease) async throws {
        var sealed = attempt
        sealed.seal = try key.seal(attempt)
        try await base.open(sealed, under: lease)
    }

    func append(_ entry: JournalEntry, to attempt: AttemptID, under lease: PaymentLease) async throws {
        let tip = try await tip(of: attempt)
        var sealed = entry
        let seal = try key.seal(entry, of: attempt, at: tip.count, after: tip.seal)
        sealed.seal = seal
        // A journal that fails may have stored the entry all the same: the next write reads it.
        tips[attempt] = nil
        try await base.append(sealed, to: attempt, under: lease)
        tips[attempt] = Tip(count: tip.count + 1, seal: seal)
    }

    /// Returns a person's decision with its seal, over the record as it stands.
    nonisolated func sealed(_ decision: JournalEntry, on history: AttemptHistory) throws -> JournalEntry {
        var sealed = decision
        sealed.seal = try key.seal(decision, over: history)
        return sealed
    }

    private func tip(of attempt: AttemptID) async throws -> Tip {
        if let tip = tips[attempt] { return tip }
        guard let history = try await base.history(of: attempt) else { throw JournalError.unknownAttempt(attempt) }
        guard key.isSound(history), let seal = history.entries.last?.seal ?? history.attempt.seal else {
            throw SealFormatError()
        }
        return Tip(count: history.entries.count, seal: seal)
    }
}
