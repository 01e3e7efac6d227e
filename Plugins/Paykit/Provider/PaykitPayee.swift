public import PaymentCore

/// What somebody asks a payee: how a payment is to be made. Who asks is proven; all else is their own text.
public struct PaykitInquiry: Sendable, Hashable {
    /// What both call the payment: 1 to 128 printable ASCII characters. It is unique among one payer's only.
    public let receiptID: String
    /// Who wants to pay.
    public let payer: PubkyKey
    /// The method, such as `lightning`.
    public let methodID: String
    /// Decimal text in the currency's own unit; nil where it is open.
    public let amount: String?
    /// Such as `SAT`.
    public let currency: String?
    /// Whatever the payer wants the payee to know.
    public let metadata: JSONValue
}

/// How a payment is to be made, as the payee's wallet says.
public struct PaykitPayeeTerms: Sendable {
    /// An invoice, an address.
    public var endpoint: String
    /// The payment hash of an invoice: 64 hexadecimal digits. With it a payer's proof is believed without asking again.
    public var paymentHash: String?
    /// What else the payer is to know.
    public var metadata: [String: JSONValue]

    /// Creates terms.
    public init(endpoint: String, paymentHash: String? = nil, metadata: [String: JSONValue] = [:]) {
        self.endpoint = endpoint
        self.paymentHash = paymentHash
        self.metadata = metadata
    }
}

/// Why a payee does not want to be paid like this: the payer is told.
public struct PaykitPayeeError: Error, Sendable, Hashable {
    /// A word for programs, such as `UNSUPPORTED_METHOD`.
    public let code: String
    /// A sentence for people.
    public let message: String

    /// Creates a refusal.
    public init(_ code: String, _ message: String) {
        self.code = code
        self.message = message
    }
}

/// Whoever is paid by private agreement: a wallet that makes invoices.
public protocol PaykitPayee: Sendable {
    /// Says how a payment is to be made. The same receipt is asked for once; what was said is kept and said again.
    ///
    /// - Parameter inquiry: what is asked.
    /// - Throws: ``PaykitPayeeError``, which the payer is told; of anything else only that it cannot be done now.
    func terms(for inquiry: PaykitInquiry) async throws -> PaykitPayeeTerms

    /// Says whether a payment has arrived that a payer claims to have made. Asked only where the proof alone does not
    /// say.
    ///
    /// - Parameters:
    ///   - inquiry: what was agreed on.
    ///   - proof: what the payer shows; sound, but nothing more.
    /// - Returns: whether the money is there; when in doubt, false.
    func hasArrived(_ inquiry: PaykitInquiry, _ proof: PaykitProof) async -> Bool
}

extension PaykitPayee {
    /// Nothing is believed that does not prove itself.
    public func hasArrived(_ inquiry: PaykitInquiry, _ proof: PaykitProof) async -> Bool { false }
}
