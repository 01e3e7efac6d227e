#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Who works on which payment: one holder at a time.
///
/// Several routers, also in several processes, may share one store. Whoever works on a payment holds its
/// ``PaymentLease``; only the holder writes about the payment. That alone keeps a payment from being made twice by two
/// of them, however late a stalled one goes on: its writes are refused from the moment another took over.
///
/// Payments are told apart as ``PaymentReference`` compares them, and holders by their bytes, not as Swift compares
/// texts. The loss of leases in a failure of the power does no harm: whoever held one is gone as well.
public protocol LeaseStore: Sendable {
    /// Takes the lease of a payment, unless another holder has it, lives and was heard of within its duration: until
    /// ``PaymentLease/end(from:)`` of the lease it took. The holder itself may ask again, which counts as a renewal.
    ///
    /// A store that can tell whether a holder's process lives need not wait for one that does not.
    ///
    /// - Parameters:
    ///   - lease: the payment, who wants it and for how long.
    ///   - now: the holder's time.
    /// - Returns: whether the lease was taken. Not taking it changes nothing.
    /// - Throws: ``JournalError`` when the storage fails.
    func acquire(_ lease: PaymentLease, at now: Date) async throws -> Bool

    /// Makes a held lease count from `now` on. Every ``AttemptStore/append(_:to:under:)`` does so too. As long as
    /// nobody took over, a lease can be renewed after its end.
    ///
    /// - Parameters:
    ///   - lease: the lease as it was taken.
    ///   - now: the holder's time.
    /// - Throws: ``JournalError/leaseLost(_:)`` when another holder took over, or it was given back.
    func renew(_ lease: PaymentLease, at now: Date) async throws

    /// Gives a lease back. Does nothing when it is not held any more.
    ///
    /// - Throws: ``JournalError`` when the storage fails; the lease then ends by itself.
    func release(_ lease: PaymentLease) async throws
}
