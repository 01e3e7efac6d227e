/// The durable memory of attempts, and who works on which payment: all that a router needs to pay once.
///
/// Leases and attempts belong together: a journal writes nothing about a payment under a lease that is not held at that
/// very moment, in one step that nobody's taking over can come between. `JournalConformance` in `PaymentTesting` checks
/// any journal against these rules. One that also lists and prunes what it holds is an ``AttemptArchive``.
public protocol PaymentJournal: LeaseStore, AttemptStore {}
