/// The vendor's entry point; see `Payrails/createSession(with:onSessionExpired:transport:clock:random:)`.
///
/// A process-wide facade over one current `PayrailsSession`, as in the vendor's guide. Servers and tests create their
/// own sessions.
public enum Payrails {
    /// A kind of payment that a session can carry out.
    public enum PaymentType: String, Sendable, Hashable, Codable, CaseIterable {
        /// PayPal.
        case payPal
        /// Apple Pay.
        case applePay
        /// A payment card.
        case card
        /// Any method that is completed on a separate page.
        case genericRedirect
    }
}
