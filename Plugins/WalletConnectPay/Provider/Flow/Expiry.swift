import PaymentCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The time limits of an attempt: the expiry of the payment, and that of its option's price.
struct Expiry: Sendable {
    /// The code of the error for an expired payment; it never leaves the provider.
    static let code = PaymentError.Code(rawValue: "expired")

    private let attempt: PaymentAttempt
    private let clock: any PaymentClock
    private let provider: ProviderID

    init(_ attempt: PaymentAttempt, _ clock: any PaymentClock, _ provider: ProviderID) {
        self.provider = provider
        self.attempt = attempt
        self.clock = clock
    }

    /// - Throws: ``PaymentError``: with ``code`` when the payment has expired, with
    ///   ``PaymentError/Code/unusableOption`` when only the option's price has; another option may still be usable.
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
