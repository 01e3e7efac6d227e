/// The durable memory of attempts, and who works on which payment: all that a router needs to pay once.
///
/// Leases and attempts belong together: a journal writes nothing about a payment under a lease that is not held at that
/// very moment, in one step that nobody's taking over can come between. `JournalConformance` in `PaymentTesting` checks
/// any journal against these rules. One that also lists and prunes what it holds is an ``AttemptArchive``.
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
/// <doc:Journals> says what to keep in mind when writing one.
public protocol PaymentJournal: LeaseStore, AttemptStore {}
