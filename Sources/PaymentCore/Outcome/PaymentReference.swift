/// One payment at one provider, or one refund: the subject of attempts, leases and outcomes.
///
/// Payments and refunds are named apart, whatever their ids are: a payment with the id of a refund is not the refund.
public struct PaymentReference: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The kinds of subjects.
    @nonexhaustive
    public enum Subject: String, Sendable, Hashable, Codable {
        /// Money that the payer pays.
        case payment
        /// Money that the payee refunds; see ``RefundRequest``.
        case refund
    }

    /// The provider.
    public let provider: ProviderID
    /// The provider's own id of the payment, or the caller's own id of the refund.
    public let id: String
    /// The kind of subject.
    public let subject: Subject

    /// Creates a reference.
    public init(provider: ProviderID, id: String, subject: Subject = .payment) {
        self.provider = provider
        self.id = id
        self.subject = subject
    }

    /// The form for people: `provider/id`, for others than payments after their subject, as `refund provider/id`.
    public var description: String { (subject == .payment ? "" : subject.rawValue + " ") + "\(provider)/\(id)" }
}

extension PaymentReference {
    /// The reference as texts: its provider, its subject, its id. Leases, seals and stored rows name a reference by
    /// them and by nothing else. No two references have the same ones.
    package var parts: [String] { [provider.rawValue, subject.rawValue, id] }

    /// Creates the reference that has these ``parts``; nil when none has.
    package init?(parts: [String]) {
        guard parts.count == 3, let subject = Subject(rawValue: parts[1]) else { return nil }
        self.init(provider: ProviderID(rawValue: parts[0]), id: parts[2], subject: subject)
    }
}
