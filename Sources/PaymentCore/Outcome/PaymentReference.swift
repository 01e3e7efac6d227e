/// One payment at one provider, or one refund: what attempts, leases and outcomes are about.
///
/// Payments and refunds are named apart, whatever their ids are: a payment called like a refund is not the refund.
public struct PaymentReference: Sendable, Hashable, Codable, CustomStringConvertible {
    /// What can be named.
    @nonexhaustive
    public enum Subject: String, Sendable, Hashable, Codable {
        /// Money that the payer pays.
        case payment
        /// Money that the payee gives back; see ``RefundRequest``.
        case refund
    }

    /// The provider.
    public let provider: ProviderID
    /// The provider's own id of the payment, or the asker's own id of the refund.
    public let id: String
    /// Which of the two it is.
    public let subject: Subject

    /// Creates a reference.
    public init(provider: ProviderID, id: String, subject: Subject = .payment) {
        self.provider = provider
        self.id = id
        self.subject = subject
    }

    /// The id, after `refund:` where it is a refund's: for people, and as journals have always written it. It does not
    /// tell a refund from a payment that is called so.
    package var label: String { subject == .refund ? Self.refundPrefix + id : id }

    /// What stands before a refund's id in ``label``.
    package static let refundPrefix = "refund:"

    /// `provider/id`, for refunds `provider/refund:id`.
    public var description: String { "\(provider)/\(label)" }

    private enum CodingKeys: String, CodingKey { case provider, id, subject }

    /// Creates a reference by decoding; one that was written before there were subjects is a payment's.
    ///
    /// - Throws: `DecodingError` when a member is missing or is not one.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        provider = try container.decode(ProviderID.self, forKey: .provider)
        id = try container.decode(String.self, forKey: .id)
        subject = try container.decodeIfPresent(Subject.self, forKey: .subject) ?? .payment
    }

    /// Encodes the reference; a payment's as it was written before there were subjects.
    ///
    /// - Throws: what the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(provider, forKey: .provider)
        try container.encode(id, forKey: .id)
        if subject != .payment { try container.encode(subject, forKey: .subject) }
    }
}

extension PaymentOutcome {
    /// The outcome as it is about `reference`: of refunds that ended before there were subjects, the stored outcome names
    /// a payment called ``PaymentReference/label``.
    func renamed(to reference: PaymentReference) -> PaymentOutcome {
        let former = PaymentReference(provider: reference.provider, id: reference.label)
        switch self {
        case .succeeded(let receipt) where reference.subject == .refund && receipt.reference == former:
            return .succeeded(
                PaymentReceipt(
                    reference: reference, amount: receipt.amount, transactionID: receipt.transactionID))
        case .unknown(let unknown) where reference.subject == .refund && unknown.reference == former:
            return .unknown(
                UnknownOutcome(reference: reference, rawStatus: unknown.rawStatus, message: unknown.message))
        default: return self
        }
    }
}
