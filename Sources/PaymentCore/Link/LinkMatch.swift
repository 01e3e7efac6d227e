/// What a provider reads from a link that its patterns claim.
public struct LinkMatch: Sendable, Hashable {
    /// What the link is for.
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

    /// The payment id that the link names, in the form the provider uses.
    public let reference: String?
    /// What the link is for.
    public let role: Role
    /// Whether it surely leads to the real service.
    public let trust: Trust

    /// Makes a match.
    public init(reference: String?, role: Role = .payment, trust: Trust = .verified) {
        self.reference = reference
        self.role = role
        self.trust = trust
    }
}

/// One payment at one provider.
public struct PaymentReference: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The provider.
    public let provider: ProviderID
    /// The provider's own id of the payment.
    public let id: String

    /// Makes a reference.
    public init(provider: ProviderID, id: String) {
        self.provider = provider
        self.id = id
    }

    /// `provider/id`.
    public var description: String { "\(provider)/\(id)" }
}
