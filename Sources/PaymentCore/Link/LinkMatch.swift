/// What a provider reads from a link that its patterns claim.
public struct LinkMatch: Sendable, Hashable {
    /// What the link is for.
    @nonexhaustive
    public enum Role: String, Sendable, Hashable {
        /// It asks for a payment.
        case payment
        /// It brings the payer back from a page or another app.
        case callback
        /// It asks for an authorisation without a payment.
        case authorization
    }

    /// Whether the link's own text proves that it leads to the provider's real service.
    public enum Trust: Sendable, Hashable {
        /// It does.
        case verified
        /// It does not; the reason is for people. Paying such a link takes the caller's explicit consent.
        case unverified(reason: String)
    }

    /// The payment id that the link names, in the form the provider uses; the payee's where the link ``namesPayee``.
    public let reference: String?
    /// Whether the link names a payee and no single payment: whoever pays it again pays again. Only of a
    /// ``PayeeProvider``.
    public let namesPayee: Bool
    /// What the link is for.
    public let role: Role
    /// Whether it surely leads to the real service.
    public let trust: Trust
    /// Whether the link's text holds a secret and must not be shown or logged: whoever has it could pay, or act as the
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
