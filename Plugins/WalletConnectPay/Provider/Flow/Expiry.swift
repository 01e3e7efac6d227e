import PaymentCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Until when an attempt can be carried out: the end of the payment, and the end of its option's price.
struct Expiry: Sendable {
    /// The code of the error that says that the payment is over; it never leaves the provider.
    static let code = PaymentError.Code(rawValue: "expired")

    private let attempt: PaymentAttempt
    private let clock: any PaymentClock
    private let provider: ProviderID

    init(_ attempt: PaymentAttempt, _ clock: any PaymentClock, _ provider: ProviderID) {
        self.provider = provider
        self.attempt = attempt
        self.clock = clock
    }

    /// - Throws: ``PaymentError``: with ``code`` when the payment is over, with
    ///   ``PaymentError/Code/unusableOption`` when only the option's price is; another option may still do.
    func check() throws {
        if let end = attempt.expiresAt, end <= clock.now {
            throw PaymentError(Self.code, "the payment has expired", provider: provider)
        }
        if let end = attempt.option.expiresAt, end <= clock.now {
            throw PaymentError(
                .unusableOption, "the price of this option has expired; pay from the link again for a new one",
                provider: provider, retry: .later)
        }
    }
}
