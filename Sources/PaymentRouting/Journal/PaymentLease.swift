public import PaymentCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The right to write about one payment in a shared journal, held by one worker at a time.
public struct PaymentLease: Sendable, Hashable {
    /// The payment.
    public let payment: PaymentReference
    /// The holder's id: random, made once per holding, so that a lost one is never mistaken for a later one.
    public let holder: String
    /// The time that the holder may be silent before others may take over.
    public let duration: Duration

    /// Creates a lease.
    public init(payment: PaymentReference, holder: String, duration: Duration) {
        self.payment = payment
        self.holder = holder
        self.duration = duration
    }
}

extension PaymentLease {
    /// Returns the moment from which others may take over if the holder does not renew the lease.
    ///
    /// - Parameter now: the moment of the last renewal.
    public func end(from now: Date) -> Date { now.addingTimeInterval(duration / .seconds(1)) }
}
