#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// One try to pay, capture or refund one payment with one option. Holds everything that a provider needs to resume
/// after a crash; no secrets, and not the link, which may hold some.
public struct PaymentAttempt: Sendable, Hashable, Codable {
    /// The attempt's own id.
    public let id: AttemptID
    /// The payment.
    public let reference: PaymentReference
    /// The chosen option.
    public let option: PaymentMethodOption
    /// Random, made once per attempt, at most 64 ASCII characters: for services that recognise repetitions.
    public let idempotencyKey: String
    /// The date of the beginning.
    public let startedAt: Date
    /// The end of the time in which the payment can be paid.
    public let expiresAt: Date?
    /// The router's proof that the attempt is its own; nil where the application provides no key for it. Journals store
    /// it and do not interpret it.
    public var seal: String?

    /// Creates an attempt.
    public init(
        id: AttemptID, reference: PaymentReference, option: PaymentMethodOption, idempotencyKey: String,
        startedAt: Date, expiresAt: Date?, seal: String? = nil
    ) {
        self.id = id
        self.reference = reference
        self.option = option
        self.idempotencyKey = idempotencyKey
        self.startedAt = startedAt
        self.expiresAt = expiresAt
        self.seal = seal
    }

    /// The capture that this is an attempt at, over the option's amount; nil when it is one at anything else.
    public var capture: CaptureRequest? {
        reference.capturedPayment.map { CaptureRequest(of: $0, amount: option.amount) }
    }

    /// The refund that this is an attempt at, of the payment that the reference names, over the option's amount; nil
    /// when it is one at anything else.
    public var refund: RefundRequest? {
        reference.refundedPayment.map { RefundRequest(of: $0, amount: option.amount, id: reference.id) }
    }

    /// The refund as it is passed to the service: with the number of earlier ones that failed there, which the option
    /// keeps.
    package var refundAtService: RefundRequest? {
        guard var request = refund else { return nil }
        request.earlierFailures = PaymentMethodOption.earlierFailures(in: option.id)
        return request
    }
}

extension PaymentMethodOption {
    private static let refund = "refund"

    /// Creates the option of a refund.
    ///
    /// - Parameters:
    ///   - amount: the amount.
    ///   - earlierFailures: ``RefundRequest/earlierFailures``. It is stored with the attempt, so that a resumed refund
    ///     keeps its name at the service, whatever else was removed from the journal since.
    package static func refund(_ amount: Money, earlierFailures: Int) -> PaymentMethodOption {
        let id = earlierFailures == 0 ? refund : "\(refund)-\(earlierFailures)"
        return PaymentMethodOption(id: id, title: "Refund", amount: amount)
    }

    fileprivate static func earlierFailures(in id: String) -> Int {
        guard id.hasPrefix("\(refund)-") else { return 0 }
        return Int(id.dropFirst(refund.count + 1)) ?? 0
    }
}

extension PaymentAttempt: CustomStringConvertible, CustomReflectable {
    /// A few words for people: `att_7f… at citcon/order-7, 12.50 EUR with Card`.
    public var description: String { "\(id) at \(reference), \(option.amount) with \(option.title)" }

    /// The part that dumps and interpolations show: neither the key by which a service recognises the attempt, nor the
    /// provider's own data.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "id": id.rawValue, "reference": reference.description, "option": option.id,
                "amount": option.amount.description, "startedAt": startedAt, "expiresAt": expiresAt as Any,
            ], displayStyle: .struct)
    }
}
