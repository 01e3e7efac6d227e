import PaymentCore

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
