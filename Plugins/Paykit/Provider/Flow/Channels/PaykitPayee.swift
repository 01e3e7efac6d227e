/// A payee over private channels: a wallet that makes invoices.
public protocol PaykitPayee: Sendable {
    /// Returns the terms of a payment. It is called once for each receipt. The terms are stored and returned again.
    ///
    /// - Throws: ``PaykitPayeeError``, which is sent to the payer; others are reported as a temporary failure.
    func terms(for inquiry: PaykitInquiry) async throws -> PaykitPayeeTerms

    /// Returns true if a payment that a payer claims to have made has arrived. It is called only if the proof alone
    /// does not decide. `inquiry` is the agreed question. `proof` is the payer's proof: it is sound, but nothing more.
    ///
    /// - Returns: true if the money has arrived; false when in doubt.
    func hasArrived(_ inquiry: PaykitInquiry, _ proof: PaykitProof) async -> Bool
}

extension PaykitPayee {
    /// Accepts only proofs that verify by themselves.
    public func hasArrived(_ inquiry: PaykitInquiry, _ proof: PaykitProof) async -> Bool { false }
}

/// A payer's question to a payee: how to make a payment. The payer's key is proven. All else is untrusted text.
public struct PaykitInquiry: Sendable, Hashable {
    /// The identifier of the payment for both parties: 1 to 128 printable ASCII characters, unique only for one payer.
    public let receiptID: String
    /// The payer's key.
    public let payer: PubkyKey
    /// The method, such as `lightning`.
    public let methodID: String
    /// The amount as decimal text in the currency's own unit; nil if it is open.
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

/// A payee's answers to the peers that open a channel (Protocol 5.7). A peer's key is proven, and only the peer's own
/// payments are answered.
package struct ReceiptResponder: Sendable {
    private let owner: PubkyKey
    private let payee: any PaykitPayee
    private let receipts: Receipts
    private let offers: @Sendable (PaykitChannelOffer, PubkyKey) async -> Bool
    private let subscriptions: @Sendable (JSONValue, PubkyKey) async -> JSONValue?

    /// - Parameters:
    ///   - offers: receives an endpoint that a peer offers to this user alone, and returns true if it is kept.
    ///   - subscriptions: receives a peer's view of a subscription, and returns this user's; nil if they have none.
    package init(
        _ owner: PubkyKey, _ payee: any PaykitPayee, _ receipts: Receipts,
        offers: @escaping @Sendable (PaykitChannelOffer, PubkyKey) async -> Bool = { _, _ in false },
        subscriptions: @escaping @Sendable (JSONValue, PubkyKey) async -> JSONValue? = { _, _ in nil }
    ) {
        self.subscriptions = subscriptions
        self.owner = owner
        self.payee = payee
        self.receipts = receipts
        self.offers = offers
    }

    package func answers(
        to message: ChannelMessage, from peer: PubkyKey, _ dialect: ChannelMessage.Dialect
    ) async -> [ChannelMessage] {
        switch message {
        case .offer(let offered):
            var kept: [String] = []
            for offer in offered {
                let end = offer.expiresAt.map { Date(timeIntervalSince1970: TimeInterval($0)) }
                guard await offers(PaykitChannelOffer(offer.endpoint, expiresAt: end), peer) else { continue }
                kept.append(offer.endpoint.methodID)
            }
            guard !kept.isEmpty else { return [.decline(reason: "Nothing of this is kept")] }
            // The older form of an offer has one endpoint and no expiry, and is acknowledged.
            let isOlder = dialect != .native || (offered.count == 1 && offered[0].expiresAt == nil)
            return isOlder ? [.acknowledgement] : [.accept(kept)]
        case .requestReceipt(let record): return await receipt(for: record, of: peer, dialect)
        case .confirmReceipt(let record): return [await confirmation(record, of: peer)]
        case .subscription(let view):
            guard let own = await subscriptions(view, peer) else {
                return [.error(code: "UNKNOWN_SUBSCRIPTION", message: "There is no such subscription here")]
            }
            return [.subscription(own)]
        case .accept, .decline: return [.acknowledgement]
        case .ping: return [.pong]
        case .acknowledgement, .error, .pong: return []
        }
    }

    // MARK: Terms

    private func receipt(
        for record: PaykitReceiptRecord, of peer: PubkyKey, _ dialect: ChannelMessage.Dialect
    ) async -> [ChannelMessage] {
        do {
            let inquiry = try inquiry(record, of: peer)
            var kept = try await receipts.receipt(ChannelReceipt(record, .requested).id)
            if kept == nil {
                let terms = try await payee.terms(for: inquiry)
                kept = try await receipts.keep(ChannelReceipt(record, .confirmed, metadata: metadata(inquiry, terms)))
            }
            guard let kept, kept.agrees(with: ChannelReceipt(record, .requested)), let answer = kept.record else {
                throw PaykitPayeeError("RECEIPT_ID_USED", "A receipt of this id is about another payment")
            }
            // Flat receipts have no room for an endpoint: an offer precedes them.
            let before: [ChannelMessage] = dialect == .flat ? kept.endpoint.map { [.offer([.init($0)])] } ?? [] : []
            return before + [.confirmReceipt(answer)]
        } catch let refusal as PaykitPayeeError {
            return [.error(code: refusal.code, message: refusal.message)]
        } catch { return [Self.unavailable] }
    }

    private func metadata(_ inquiry: PaykitInquiry, _ terms: PaykitPayeeTerms) throws -> JSONValue {
        guard 1...EndpointFile.maximumLength ~= terms.endpoint.utf8.count else {
            throw PaykitPayeeError("NO_ENDPOINT", "There is no way to pay this now")
        }
        var metadata = inquiry.metadata
        // A proof comes at the end, and only the payee's own terms name the endpoint.
        for name in ["proof", "invoice", "address", "endpoint", "payment_hash"] { metadata[name] = nil }
        for (name, value) in terms.metadata { metadata[name] = value }
        metadata[ChannelReceipt.endpointName(inquiry.methodID)] = .string(terms.endpoint)
        metadata["payment_hash"] = terms.paymentHash.map { .string($0) }
        return metadata
    }

    private func inquiry(_ record: PaykitReceiptRecord, of peer: PubkyKey) throws(PaykitPayeeError) -> PaykitInquiry {
        guard record.payee == owner else { throw PaykitPayeeError("WRONG_PAYEE", "I am not the intended payee") }
        guard record.payer == peer else {
            throw PaykitPayeeError("WRONG_PAYER", "The payer is not who opened this channel")
        }
        guard record.isUsable else { throw PaykitPayeeError("INVALID_REQUEST", "The receipt cannot be used") }
        return PaykitInquiry(
            receiptID: record.id, payer: record.payer, methodID: record.methodID, amount: record.amount,
            currency: record.currency, metadata: record.metadata.isNull ? [:] : record.metadata)
    }

    private static let unavailable = ChannelMessage.error(
        code: "UNAVAILABLE", message: "The receipt cannot be made now; try again later")

    // MARK: Confirmation

    private func confirmation(_ record: PaykitReceiptRecord, of peer: PubkyKey) async -> ChannelMessage {
        do {
            let inquiry = try inquiry(record, of: peer)
            guard var known = try await receipts.receipt(ChannelReceipt(record, .paid).id),
                known.agrees(with: ChannelReceipt(record, .paid))
            else { throw PaykitPayeeError("UNKNOWN_RECEIPT", "No such receipt was given") }
            guard let json = record.metadata["proof"] else { return .acknowledgement }
            guard let proof = PaykitProof(json), proof.isSound else {
                throw PaykitPayeeError("INVALID_PROOF", "The proof proves nothing")
            }
            if known.stage != .paid {
                guard await isPaid(known, inquiry, proof) else {
                    throw PaykitPayeeError("NOT_PAID", "The payment has not arrived yet")
                }
                known.stage = .paid
                known.proof = proof.json
                _ = try await receipts.advance(known, from: [.confirmed])
            }
            return .acknowledgement
        } catch let refusal as PaykitPayeeError {
            return .error(code: refusal.code, message: refusal.message)
        } catch { return Self.unavailable }
    }

    private func isPaid(_ known: ChannelReceipt, _ inquiry: PaykitInquiry, _ proof: PaykitProof) async -> Bool {
        // A preimage proves that an invoice was paid, and an invoice without the amount is paid with any.
        if let hash = known.metadata["payment_hash"]?.string, proof.proves(payingHash: hash),
            let invoice = known.endpoint, InvoiceAmount.isExactly(invoice, known.amount, known.currency)
        {
            return true
        }
        return await payee.hasArrived(inquiry, proof)
    }
}
