/// A claim of a service about a payment, or of a provider about its own part of it: not what is stated.
///
/// Providers return reports; routers make the ``PaymentOutcome`` of them.
@nonexhaustive
public enum ServiceReport: Sendable, Hashable {
    /// It is paid; if the receipt is a refund's, it is refunded.
    case succeeded(PaymentReceipt)
    /// It was refused; no money moved. Or, with ``DeclineReason/Code/refunded``, all of it went back.
    case declined(DeclineReason)
    /// It was cancelled; no money moved.
    case cancelled
    /// Its time ran out; no money moved.
    case expired
    /// It is in progress. Ask again after so long, when known.
    case pending(retryAfter: Duration?)
    /// The service does not say, or nothing that is understood.
    case unknown(UnknownOutcome)

    /// True if nothing more will happen, by the claim.
    public var isFinal: Bool {
        switch self {
        case .succeeded, .declined, .cancelled, .expired: true
        case .pending, .unknown: false
        }
    }

    /// True if no money has moved and none will, by the claim.
    package var deniesPayment: Bool { if case .succeeded = self { false } else { isFinal } }
}

/// Proof of a payment.
public struct PaymentReceipt: Sendable, Hashable, Codable {
    /// The payment.
    public let reference: PaymentReference
    /// The amount that was really paid, when the service states it.
    public let amount: Money?
    /// The transaction on the payment network, when the service states it.
    public let transactionID: String?
    /// The person who decided that it is paid, with their evidence, if no service, wallet or settler says so.
    public let decision: String?
    /// The statement of the payer's wallet that the payment rests on, if the wallet has no proof of it; nil
    /// otherwise.
    public let unproven: String?
    /// Absent if false: other receipts are encoded without it.
    private let earlier: Bool?

    /// True if the service says that it was made before the request that this receipt answers: by an earlier request of
    /// the same caller, or by another caller. False also if the service does not distinguish the two.
    public var isEarlier: Bool { earlier ?? false }

    /// Creates a receipt.
    public init(
        reference: PaymentReference, amount: Money? = nil, transactionID: String? = nil, decision: String? = nil,
        unproven: String? = nil, isEarlier: Bool = false
    ) {
        self.reference = reference
        self.amount = amount
        self.transactionID = transactionID
        self.decision = decision
        self.unproven = unproven
        earlier = isEarlier ? true : nil
    }
}

/// Why a payment was refused.
public struct DeclineReason: Sendable, Hashable, Codable {
    /// The kind of reason. Open: providers may add their own.
    public struct Code: Sendable, Hashable, Codable, RawRepresentable {
        /// The code's text.
        public let rawValue: String

        /// Creates a code.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// No option can be paid by this payer: too little money, or no means the service takes.
        public static let noUsableOption = Code(rawValue: "no-usable-option")
        /// The payer's policy takes none of the options.
        public static let outsidePolicy = Code(rawValue: "outside-policy")
        /// Without a question nothing is paid beyond the limits for that, and no payer could be asked.
        public static let overLimit = Code(rawValue: "over-limit")
        /// The service or the payment network refused.
        public static let refused = Code(rawValue: "refused")
        /// It was paid, and all of it was refunded.
        public static let refunded = Code(rawValue: "refunded")
        /// The payment has been paid in another way, by another payer or with another device.
        public static let paidElsewhere = Code(rawValue: "paid-elsewhere")
        /// The service refused the payer for legal reasons.
        public static let compliance = Code(rawValue: "compliance")
        /// A person decided that it is not paid, if no service, wallet or settler says so. The message names the
        /// person and their evidence.
        public static let decided = Code(rawValue: "decided")
    }

    /// The kind of reason.
    public let code: Code
    /// One sentence for people.
    public let message: String

    /// Creates a reason.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}

/// The known facts of a payment whose outcome is unknown.
public struct UnknownOutcome: Sendable, Hashable, Codable {
    /// The payment to ask about.
    public let reference: PaymentReference
    /// The service's own status, when it sent one that is not recognised.
    public let rawStatus: String?
    /// Why the outcome is not known, in one sentence for people.
    public let message: String

    /// Creates a value.
    public init(reference: PaymentReference, rawStatus: String? = nil, message: String) {
        self.reference = reference
        self.rawStatus = rawStatus
        self.message = message
    }
}

extension ServiceReport: Codable {
    /// The encoded form: durations as seconds. Reports are stored as results of steps, and outcomes by journals, so
    /// this form never changes.
    private enum Coded: Codable {
        case succeeded(PaymentReceipt)
        case declined(DeclineReason)
        case cancelled
        case expired
        case pending(retryAfter: Double?)
        case unknown(UnknownOutcome)
    }

    /// Reads a report.
    ///
    /// - Throws: `DecodingError`.
    public init(from decoder: any Decoder) throws {
        self =
            switch try Coded(from: decoder) {
            case .succeeded(let receipt): .succeeded(receipt)
            case .declined(let reason): .declined(reason)
            case .cancelled: .cancelled
            case .expired: .expired
            case .pending(let seconds): .pending(retryAfter: seconds.flatMap { JSONNumber($0)?.seconds })
            case .unknown(let unknown): .unknown(unknown)
            }
    }

    /// Writes the report.
    ///
    /// - Throws: any error of `encoder`.
    public func encode(to encoder: any Encoder) throws {
        let coded: Coded =
            switch self {
            case .succeeded(let receipt): .succeeded(receipt)
            case .declined(let reason): .declined(reason)
            case .cancelled: .cancelled
            case .expired: .expired
            case .pending(let wait): .pending(retryAfter: wait.flatMap { JSONNumber(seconds: $0).double })
            case .unknown(let unknown): .unknown(unknown)
            }
        try coded.encode(to: encoder)
    }
}

extension ServiceReport: CustomStringConvertible {
    /// A few words for people.
    public var description: String {
        switch self {
        case .succeeded(let receipt):
            receipt.reference.subject.done
                + (receipt.transactionID.map { " (transaction \($0))" } ?? "")
                + (receipt.decision.map { ", as \($0)" } ?? "")
                + (receipt.unproven.map { ", without proof: \($0)" } ?? "")
                + (receipt.isEarlier ? ", by an earlier request" : "")
        case .declined(let reason): reason.code == .refunded ? reason.message : "declined: \(reason.message)"
        case .cancelled: "cancelled"
        case .expired: "expired"
        case .pending: "pending"
        case .unknown(let unknown): "unknown: \(unknown.message)"
        }
    }
}
