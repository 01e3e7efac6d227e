/// The vendor's entry point; see `Payrails/createSession(with:onSessionExpired:transport:clock:random:)`.
///
/// A process-wide facade over one current `PayrailsSession`, as the vendor's guide has it. Servers and tests make
/// their own sessions.
public enum Payrails {
    /// A kind of payment that a session can carry out.
    public enum PaymentType: String, Sendable, Hashable, Codable, CaseIterable {
        /// PayPal.
        case payPal
        /// Apple Pay.
        case applePay
        /// A payment card.
        case card
        /// Any method that is finished on a page of its own.
        case genericRedirect
    }
}
