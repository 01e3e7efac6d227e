package import Foundation
package import PaymentCore
package import PaymentRouting

/// A journal in memory of which a double replaces some methods; the rest is forwarded.
package protocol ForwardingJournal: PaymentJournal {
    var base: InMemoryJournal { get }
}

extension ForwardingJournal {
    package func acquire(_ lease: PaymentLease, at now: Date) async throws -> Bool {
        await base.acquire(lease, at: now)
    }
    package func renew(_ lease: PaymentLease, at now: Date) async throws { try await base.renew(lease, at: now) }
    package func release(_ lease: PaymentLease) async throws { await base.release(lease) }
    package func open(_ attempt: PaymentAttempt, under lease: PaymentLease) async throws {
        try await base.open(attempt, under: lease)
    }
    package func append(_ entry: JournalEntry, to attempt: AttemptID, under lease: PaymentLease) async throws {
        try await base.append(entry, to: attempt, under: lease)
    }
    package func history(of attempt: AttemptID) async throws -> AttemptHistory? { await base.history(of: attempt) }
    package func histories(of payment: PaymentReference) async throws -> [AttemptHistory] {
        await base.histories(of: payment)
    }
    package func refunds(relatedTo refund: PaymentReference) async throws -> [AttemptHistory] {
        await base.refunds(relatedTo: refund)
    }
    package func unfinished() async throws -> [AttemptHistory] { await base.unfinished() }
}
