#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// One try to pay one payment with one option, or to give one back. Everything a provider needs to go on after a crash;
/// no secrets, and not the link, which may hold some.
public struct PaymentAttempt: Sendable, Hashable, Codable {
    /// The attempt's own id.
    public let id: AttemptID
    /// The payment.
    public let reference: PaymentReference
    /// The chosen option.
    public let option: PaymentMethodOption
    /// Random, made once per attempt, at most 64 ASCII characters: for services that recognise repetitions.
    public let idempotencyKey: String
    /// When the attempt began.
    public let startedAt: Date
    /// When the payment can no longer be paid.
    public let expiresAt: Date?
    /// The refund that this is an attempt at; nil when it is one at a payment.
    public let refund: RefundRequest?
    /// What the router proves with that the attempt is its own; nil where the application lends no key for it. Journals
    /// keep it and make nothing of it.
    public var seal: String?

    /// Creates an attempt.
    public init(
        id: AttemptID, reference: PaymentReference, option: PaymentMethodOption, idempotencyKey: String,
        startedAt: Date,
        expiresAt: Date?, refund: RefundRequest? = nil, seal: String? = nil
    ) {
        self.id = id
        self.reference = reference
        self.option = option
        self.idempotencyKey = idempotencyKey
        self.startedAt = startedAt
        self.expiresAt = expiresAt
        self.refund = refund
        self.seal = seal
    }
}

extension PaymentAttempt: CustomStringConvertible, CustomReflectable {
    /// A few words for people: `att_7f… at citcon/order-7, 12.50 EUR with Card`.
    public var description: String { "\(id) at \(reference), \(option.amount) with \(option.title)" }

    /// What dumps and interpolations show: not the key by which a service recognises the attempt, and nothing of what
    /// the provider keeps for itself.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "id": id.rawValue, "reference": reference.description, "option": option.id,
                "amount": option.amount.description, "startedAt": startedAt, "expiresAt": expiresAt as Any,
            ], displayStyle: .struct)
    }
}
