import PaymentCore
import PaymentRouting

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One probe of one journal: it writes to the journal and collects the defects.
final class JournalTrial: StorageTrial {
    let storage: JournalSubject.Storage
    var journal: any PaymentJournal { storage.journal }
    let findings = Findings()

    init(_ storage: JournalSubject.Storage) { self.storage = storage }

    // MARK: Findings

    /// Expects a write to be refused with exactly this error.
    func refuses(_ error: JournalError, _ what: String, _ write: () async throws -> Void) async {
        await expects(error, what, write)
    }

    // MARK: Samples

    static let start = Date(timeIntervalSinceReferenceDate: 800_000_000.123_456_7)
    static let seconds = 60.0

    static func moment(_ seconds: Double) -> Date { start.addingTimeInterval(seconds) }

    static func payment(_ id: String = "p", provider: ProviderID = "acme") -> PaymentReference {
        PaymentReference(provider: provider, id: id)
    }

    static func refund(_ id: String, of payment: String = "p") -> PaymentReference {
        PaymentReference(provider: "acme", id: id, subject: .refund(of: payment))
    }

    static func lease(_ payment: PaymentReference = payment(), _ holder: String = "holder") -> PaymentLease {
        PaymentLease(payment: payment, holder: holder, duration: .seconds(seconds))
    }

    static func attempt(
        _ id: String, _ payment: PaymentReference = payment(), at start: Date = start, seal: String? = nil
    ) throws -> PaymentAttempt {
        let amount = try Money(minorUnits: 12_345_678_901_234_567_890_123, currency: .eur)
        var option = PaymentMethodOption(
            id: "o", title: "Naïve \"euros\" \u{0}\u{1F4B6}", amount: amount, isEstimate: true,
            account: try AccountID("eip155:8453:0xab16a96D359eC26a11e2C2b3d8f8B8942d5Bfcdb"),
            needs: [.signing(method: "m_sign"), .data, .page, .app(name: "Lark"), .code],
            expiresAt: start.addingTimeInterval(1 / 3),
            providerData: ["list": [1, "2.5", nil, true, ["deep": [:]]], "text": "a\u{0}b\u{2028}\u{1F600}"])
        option.unmet = [.page]
        return PaymentAttempt(
            id: AttemptID(rawValue: id), reference: payment, option: option, idempotencyKey: "key of " + id,
            startedAt: start, expiresAt: start.addingTimeInterval(0.1), seal: seal)
    }

    static func entry(_ event: JournalEntry.Event, at date: Date = start, seal: String? = nil) -> JournalEntry {
        JournalEntry(date: date, event: event, seal: seal)
    }

    static let ask = JournalEntry.Event.stepStarted(name: "ask", kind: .query)
    static let abandoned = JournalEntry.Event.abandoned(reason: "changed their mind")

    // MARK: Writing

    /// Takes the lease of a payment for a writer, and notes a finding when it is not granted.
    @discardableResult
    func take(_ payment: PaymentReference = payment(), _ holder: String = "holder") async throws -> PaymentLease {
        let lease = Self.lease(payment, holder)
        expect(try await journal.acquire(lease, at: Self.start), "the free lease of '\(payment)' is not given")
        return lease
    }

    /// Returns an attempt with these entries, as it is then stored.
    @discardableResult
    func store(
        _ id: String, _ payment: PaymentReference = payment(), _ events: [JournalEntry.Event] = []
    ) async throws -> AttemptHistory {
        let lease = try await take(payment)
        var history = AttemptHistory(attempt: try Self.attempt(id, payment))
        try await journal.open(history.attempt, under: lease)
        for (index, event) in events.enumerated() {
            let entry = Self.entry(event, at: Self.moment(Double(index) / 3))
            try await journal.append(entry, to: history.attempt.id, under: lease)
            history.entries.append(entry)
        }
        if history.isFinished { history.eraseInteractions() }
        return history
    }

    /// Returns the ids of some attempts.
    static func ids(_ histories: [AttemptHistory]) -> [String] { histories.map(\.attempt.id.rawValue) }
}
