/// A payer's question to a payee: how to make a payment. The payer's key is proven; all else is untrusted text.
public struct PaykitInquiry: Sendable, Hashable {
    /// The identifier of the payment for both parties: 1 to 128 printable ASCII characters, unique only for one payer.
    public let receiptID: String
    /// The payer's key.
    public let payer: PubkyKey
    /// The method, such as `lightning`.
    public let methodID: String
    /// The amount as decimal text in the currency's own unit; nil where it is open.
    public let amount: String?
    /// The currency, such as `SAT`.
    public let currency: String?
    /// Further data from the payer.
    public let metadata: JSONValue
}

/// The payment terms from the payee's wallet.
public struct PaykitPayeeTerms: Sendable {
    /// The destination: an invoice or an address.
    public var endpoint: String
    /// The payment hash of an invoice: 64 hexadecimal digits. It verifies a payer's proof without asking the wallet.
    public var paymentHash: String?
    /// Further data for the payer.
    public var metadata: [String: JSONValue]

    /// Creates terms.
    public init(endpoint: String, paymentHash: String? = nil, metadata: [String: JSONValue] = [:]) {
        self.endpoint = endpoint
        self.paymentHash = paymentHash
        self.metadata = metadata
    }
}

/// A payee's reason to decline a payment; it is sent to the payer.
public struct PaykitPayeeError: Error, Sendable, Hashable {
    /// A machine-readable code, such as `UNSUPPORTED_METHOD`.
    public let code: String
    /// A sentence for people.
    public let message: String

    /// Creates an error.
    public init(_ code: String, _ message: String) {
        self.code = code
        self.message = message
    }
}

/// A payee over private channels: a wallet that makes invoices.
public protocol PaykitPayee: Sendable {
    /// Returns the terms of a payment. It is called once for each receipt; the terms are kept and returned again.
    ///
    /// - Throws: ``PaykitPayeeError``, which is sent to the payer; others are reported as a temporary failure.
    func terms(for inquiry: PaykitInquiry) async throws -> PaykitPayeeTerms

    /// Returns true if a payment that a payer claims to have made has arrived. It is called only where the proof alone
    /// does not decide. `inquiry` is the agreed question, `proof` the payer's; sound, but nothing more.
    ///
    /// - Returns: true if the money has arrived; false when in doubt.
    func hasArrived(_ inquiry: PaykitInquiry, _ proof: PaykitProof) async -> Bool
}

extension PaykitPayee {
    /// Accepts only proofs that verify by themselves.
    public func hasArrived(_ inquiry: PaykitInquiry, _ proof: PaykitProof) async -> Bool { false }
}
