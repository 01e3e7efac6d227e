/// One payment at one provider, its capture, its cancellation, or one refund of it: the subject of attempts, leases and
/// outcomes.
///
/// Payments, captures, cancellations and refunds are named apart, whatever their ids are: a payment with the id of a
/// refund is not the refund. Refunds of two payments have two references, also with one id, of which a router makes
/// only one.
public struct PaymentReference: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The kinds of subjects.
    @nonexhaustive
    public enum Subject: Sendable {
        /// Money that the payer pays.
        case payment
        /// Money that the payer has authorised, and the payee takes, of the payment with the reference's id; see
        /// ``CaptureRequest``.
        case capture
        /// The payee's cancellation of the payment with the reference's id.
        case cancellation
        /// Money that the payee refunds, of the payment with this id; see ``RefundRequest``. Nil where a service does
        /// not name the payment: nothing that was requested here is such a refund.
        case refund(of: String?)
    }

    /// The provider.
    public let provider: ProviderID
    /// The provider's own id of the payment, also in the reference of a capture or a cancellation, or the caller's own
    /// id of the refund.
    public let id: String
    /// The kind of subject.
    public let subject: Subject

    /// Creates a reference.
    public init(provider: ProviderID, id: String, subject: Subject = .payment) {
        self.provider = provider
        self.id = id
        self.subject = subject
    }

    /// True if it is a payment, and no capture, cancellation or refund of one.
    public var isPayment: Bool { if case .payment = subject { true } else { false } }

    /// True if it is a refund.
    public var isRefund: Bool { if case .refund = subject { true } else { false } }

    /// The payment that this is a refund of; nil for others, and where the service does not name it.
    public var refundedPayment: PaymentReference? {
        guard case .refund(let payment?) = subject else { return nil }
        return PaymentReference(provider: provider, id: payment)
    }

    /// The payment that this is the capture of; nil for others.
    public var capturedPayment: PaymentReference? {
        guard case .capture = subject else { return nil }
        return PaymentReference(provider: provider, id: id)
    }

    /// The payment that this is the cancellation of; nil for others.
    public var cancelledPayment: PaymentReference? {
        guard case .cancellation = subject else { return nil }
        return PaymentReference(provider: provider, id: id)
    }

    /// The form for people: `provider/id`, `capture provider/id`, `cancellation provider/id`,
    /// `refund provider/id of payment`.
    public var description: String {
        switch subject {
        case .payment: "\(provider)/\(id)"
        case .capture: "capture \(provider)/\(id)"
        case .cancellation: "cancellation \(provider)/\(id)"
        case .refund(let payment): "refund \(provider)/\(id)" + (payment.map { " of \($0)" } ?? "")
        }
    }
}

extension PaymentReference {
    /// The name of the payment's cancellation.
    package var cancellation: PaymentReference {
        PaymentReference(provider: provider, id: id, subject: .cancellation)
    }

    /// The payment that its payee has captured, cancelled or refunded by this; nil for a payment, and where a refund's
    /// service does not name it.
    package var handledPayment: PaymentReference? { capturedPayment ?? cancelledPayment ?? refundedPayment }

    /// The reference as texts: its provider, its subject, its id. Leases, seals and stored rows name a reference by
    /// them and by nothing else. No two references have the same ones.
    package var parts: [String] { [provider.rawValue, subject.text, id] }

    /// Creates the reference that has these ``parts``; nil when none has.
    package init?(parts: [String]) {
        guard parts.count == 3, let subject = Subject(text: parts[1]) else { return nil }
        self.init(provider: ProviderID(rawValue: parts[0]), id: parts[2], subject: subject)
    }
}

extension PaymentReference.Subject: Hashable, Codable {
    private static let ofPayment = "refund of "

    /// The subject as a text, with the refunded payment's id.
    package var text: String {
        switch self {
        case .payment: "payment"
        case .capture: "capture"
        case .cancellation: "cancellation"
        case .refund(nil): "refund"
        case .refund(let payment?): Self.ofPayment + payment
        }
    }

    /// Creates the subject that has this ``text``; nil when none has.
    package init?(text: String) {
        switch text {
        case "payment": self = .payment
        case "capture": self = .capture
        case "cancellation": self = .cancellation
        case "refund": self = .refund(of: nil)
        default:
            // By bytes: a letter that combines with the last one of the prefix is the id's own.
            guard text.utf8.starts(with: Self.ofPayment.utf8) else { return nil }
            self = .refund(of: String(decoding: text.utf8.dropFirst(Self.ofPayment.utf8.count), as: UTF8.self))
        }
    }

    /// The kind alone, in one word.
    package var kind: String {
        switch self {
        case .payment: "payment"
        case .capture: "capture"
        case .cancellation: "cancellation"
        case .refund: "refund"
        }
    }

    /// The end of it, in one word.
    var done: String {
        switch self {
        case .payment: "paid"
        case .capture: "captured"
        case .cancellation: "cancelled"
        case .refund: "refunded"
        }
    }

    /// Subjects are equal when their bytes are.
    public static func == (left: Self, right: Self) -> Bool { left.text.isExactly(right.text) }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) { hasher.combine(exactly: text) }

    /// Reads a subject from its text.
    ///
    /// - Throws: `DecodingError`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let subject = Self(text: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "no subject of a payment reference")
        }
        self = subject
    }

    /// Writes the subject's text.
    ///
    /// - Throws: any error of `encoder`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
