/// The data that a provider reads from a link that its patterns claim.
public struct LinkMatch: Sendable, Hashable {
    /// The purpose of a link.
    @nonexhaustive
    public enum Role: String, Sendable, Hashable {
        /// It asks for a payment.
        case payment
        /// It returns the payer from a page or another app.
        case callback
        /// It asks for an authorisation without a payment.
        case authorization
    }

    /// The proof, in the link's own text, that it leads to the provider's real service.
    public enum Trust: Sendable, Hashable {
        /// The text proves it.
        case verified
        /// The text does not prove it; the reason is for people. Paying such a link takes the caller's explicit
        /// consent.
        case unverified(reason: String)
        /// A part of the text is not known, and could change the payment; the reason is for people. Paying it takes the
        /// consent of a person to exactly this text; no policy, limit or plan gives it.
        case unclear(reason: String)
    }

    /// The payment id that the link names, in the form the provider uses; the payee's where the link ``namesPayee``.
    public let reference: String?
    /// True if the link names a payee and no single payment: paying it again is another payment. Only of a
    /// ``PayeeProvider``.
    public let namesPayee: Bool
    /// The purpose of the link.
    public let role: Role
    /// The proof that it leads to the real service.
    public let trust: Trust
    /// True if the link's text holds a secret and must not be shown or logged: its holder could pay, or act as the
    /// merchant. Nil leaves it to ``PaymentLink/mayHoldSecret``. The reference is never a secret.
    public let holdsSecret: Bool?

    /// Creates a match.
    public init(
        reference: String?, role: Role = .payment, trust: Trust = .verified, holdsSecret: Bool? = nil,
        namesPayee: Bool = false
    ) {
        self.reference = reference
        self.namesPayee = namesPayee
        self.role = role
        self.trust = trust
        self.holdsSecret = holdsSecret
    }
}
