import PaymentCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The leases of payments: one holder at a time for each.
///
/// Several routers, also in several processes, may share one store. A router that works on a payment holds its
/// ``PaymentLease``; only the holder writes about the payment. That alone keeps two routers from making a payment
/// twice, however late a stalled one resumes: its writes are refused from the moment another took over.
///
/// Payments are distinguished as ``PaymentReference`` compares them, and holders by their bytes, not as Swift compares
/// texts. The loss of leases in a power failure does no harm: their holders are gone as well.
public protocol LeaseStore: Sendable {
    /// Takes the lease of a payment, unless another holder has it, lives and renewed it within its duration: until
    /// ``PaymentLease/end(from:)`` of the lease it took. The holder itself may ask again, which counts as a renewal.
    ///
    /// A store that can determine whether a holder's process lives need not wait for one that does not.
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
