#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The right to write about one payment in a shared journal, held by one worker at a time.
public struct PaymentLease: Sendable, Hashable {
    /// The payment.
    public let payment: PaymentReference
    /// Who holds it: random, made once per holding, so that one that was lost is never mistaken for a later one.
    public let holder: String
    /// How long the holder may be silent before others may take over.
    public let duration: Duration

    /// Creates a lease.
    public init(payment: PaymentReference, holder: String, duration: Duration) {
        self.payment = payment
        self.holder = holder
        self.duration = duration
    }
}

extension PaymentLease {
    /// Returns when others may take over if nothing more is heard of the holder: from this moment on, not before.
    ///
    /// - Parameter now: when the holder was heard of last.
    public func end(from now: Date) -> Date { now.addingTimeInterval(duration / .seconds(1)) }
}
