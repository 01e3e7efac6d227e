/// One payment at one provider, its capture, its cancellation, or one refund of it: the subject of attempts, leases and
/// outcomes.
///
/// Payments, captures, cancellations and refunds are named apart, whatever their ids are: a payment with the id of a
/// refund is not the refund. Refunds of two payments have two references, even if they have the same id. A router makes
/// only one of these refunds.
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
        /// Money that the payee refunds, of the payment with this id; see ``RefundRequest``. Nil if a service does not
        /// name the payment. No refund that was requested here is such a refund.
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

    /// The payment that this is a refund of; nil for other subjects, and if the service does not name it.
    public var refundedPayment: PaymentReference? {
        guard case .refund(let payment?) = subject else { return nil }
        return PaymentReference(provider: provider, id: payment)
    }

    /// The payment that this is the capture of; nil for other subjects.
    public var capturedPayment: PaymentReference? {
        guard case .capture = subject else { return nil }
        return PaymentReference(provider: provider, id: id)
    }

    /// The payment that this is the cancellation of; nil for other subjects.
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

    /// The payment that its payee has captured, cancelled or refunded by this; nil for a payment, and for a refund
    /// whose service does not name the payment.
    package var handledPayment: PaymentReference? { capturedPayment ?? cancelledPayment ?? refundedPayment }

    /// The reference as texts: its provider, its subject, its id. Leases, seals and stored rows name a reference by
    /// these alone. No two references have the same parts.
    package var parts: [String] { [provider.rawValue, subject.text, id] }

    /// Creates the reference that has these ``parts``; nil when there is no such reference.
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

    /// Creates the subject that has this ``text``; nil when there is no such subject.
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

    /// The kind, without the refunded payment.
    package var kind: String {
        switch self {
        case .payment: "payment"
        case .capture: "capture"
        case .cancellation: "cancellation"
        case .refund: "refund"
        }
    }

    /// The participle for its success.
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

/// The stable name of a provider: lower-case letters, digits and hyphens, such as `walletconnect-pay`.
public struct ProviderID: Sendable, Hashable, Codable, RawRepresentable, ExpressibleByStringLiteral,
    CustomStringConvertible
{
    /// The name.
    public let rawValue: String

    /// Creates an id; a registry refuses malformed ones.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Creates an id from a literal.
    public init(stringLiteral value: String) { rawValue = value }

    /// The name.
    public var description: String { rawValue }
}

/// The name of one attempt to pay: random, made once, kept across restarts.
public struct AttemptID: Sendable, Hashable, Codable, RawRepresentable, CustomStringConvertible {
    /// The name.
    public let rawValue: String

    /// Creates an id from its text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The name.
    public var description: String { rawValue }
}

// Services and files treat names of payments and attempts as bytes. Swift's strings are equal when they look alike
// (Unicode canonical equivalence), so one payment could be taken for another.

extension String {
    /// Returns true if both are the same byte for byte.
    package func isExactly(_ other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}

extension Hasher {
    /// Hashes a text's bytes.
    package mutating func combine(exactly text: String) {
        var text = text
        text.withUTF8 { combine(bytes: UnsafeRawBufferPointer($0)) }
        combine(0xFF as UInt8)
    }
}

extension PaymentReference {
    /// References are equal when their bytes are.
    public static func == (left: Self, right: Self) -> Bool {
        left.provider == right.provider && left.subject == right.subject && left.id.isExactly(right.id)
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(provider)
        hasher.combine(subject)
        hasher.combine(exactly: id)
    }
}

extension ProviderID {
    /// Ids are equal when their bytes are.
    public static func == (left: Self, right: Self) -> Bool { left.rawValue.isExactly(right.rawValue) }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) { hasher.combine(exactly: rawValue) }
}

extension AttemptID {
    /// Ids are equal when their bytes are.
    public static func == (left: Self, right: Self) -> Bool { left.rawValue.isExactly(right.rawValue) }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) { hasher.combine(exactly: rawValue) }
}
