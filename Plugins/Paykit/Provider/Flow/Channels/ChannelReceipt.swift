import PaymentCrypto

/// A payer's or payee's record of a payment over a private channel. Its texts come from either party and are untrusted.
public struct ChannelReceipt: Sendable, Hashable {
    /// The identity of a receipt. The payer alone chooses the name, so another payer may choose the same.
    public struct ID: Sendable, Hashable {
        /// The payer.
        public let payer: String
        /// The payee.
        public let payee: String
        /// The identifier for both parties.
        public let name: String

        /// Creates an id.
        public init(payer: String, payee: String, name: String) {
            self.payer = payer
            self.payee = payee
            self.name = name
        }
    }

    /// The progress of a payment. It only advances, except from ``Stage/paying`` back to ``Stage/confirmed``.
    @nonexhaustive
    public enum Stage: String, Sendable, Hashable, CaseIterable, Comparable {
        /// The payer has asked, or is about to.
        case requested
        /// The payee has provided the endpoint.
        case confirmed
        /// The payer's wallet was asked to pay: money may have moved.
        case paying
        /// The payment was made, as the proof shows.
        case paid

        /// Returns true if `left` comes before `right`.
        public static func < (left: Stage, right: Stage) -> Bool { left.place < right.place }

        private var place: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    }

    /// The identity of the receipt.
    public let id: ID
    /// The method, such as `lightning`.
    public let method: String
    /// The amount as decimal text in the currency's own unit; nil if it is open.
    public let amount: String?
    /// The currency, such as `SAT`.
    public let currency: String?
    /// The time of creation by the payer's claim: seconds since 1970.
    public let createdAt: Int64
    /// Further data of both parties, with the endpoint among them.
    public var metadata: JSONValue
    /// The progress of the payment.
    public var stage: Stage
    /// The proof of payment, such as a preimage; nil before the payment.
    public var proof: JSONValue?

    /// Creates a receipt.
    public init(
        id: ID, method: String, amount: String?, currency: String?, createdAt: Int64, metadata: JSONValue = [:],
        stage: Stage = .requested, proof: JSONValue? = nil
    ) {
        self.id = id
        self.method = method
        self.amount = amount
        self.currency = currency
        self.createdAt = createdAt
        self.metadata = metadata
        self.stage = stage
        self.proof = proof
    }

    /// Returns true if `other` has the same identity, method, amount and currency.
    public func agrees(with other: ChannelReceipt) -> Bool {
        id == other.id && method == other.method && amount == other.amount && currency == other.currency
    }
}

/// The identity of a message that was sent once but may be found repeatedly.
package struct ChannelArrival: Sendable, Hashable {
    /// The kind of message, such as `request`.
    let kind: String
    let sender: String
    /// The sender's identifier for it.
    let name: String

    package init(kind: String, sender: String, name: String) {
        self.kind = kind
        self.sender = sender
        self.name = name
    }
}

/// The receipts of private payments and the arrivals of messages, as they are stored. Errors are
/// ``PaykitNetworkError``, `storage`.
package struct Receipts: Sendable {
    private let store: any RecordStore

    package init(_ store: any RecordStore) { self.store = store }

    // MARK: Receipts

    /// Stores a receipt, unless there is one of its id. Returns the receipt that is stored now: the earlier one, if
    /// there was one.
    package func keep(_ receipt: ChannelReceipt) async throws(PaykitNetworkError) -> ChannelReceipt {
        try await change(receipt.id.key) { known in
            if let known { return RecordChange(try ChannelReceipt(known)) }
            return RecordChange([receipt.write], receipt)
        }
    }

    /// Advances a receipt to a later stage. Of several concurrent calls one succeeds. `receipt` is the receipt's id,
    /// and its new stage, metadata and proof. `stages` are the stages that it may have now. Returns true if it had one
    /// of them, and was changed.
    package func advance(
        _ receipt: ChannelReceipt, from stages: Set<ChannelReceipt.Stage>
    ) async throws(PaykitNetworkError) -> Bool {
        try await change(receipt.id.key) { known in
            guard var new = try known.map({ try ChannelReceipt($0) }), stages.contains(new.stage) else {
                return RecordChange(false)
            }
            (new.stage, new.metadata, new.proof) = (receipt.stage, receipt.metadata, receipt.proof)
            return RecordChange([new.write], true)
        }
    }

    /// Returns the receipt of an id; nil when there is none.
    package func receipt(_ id: ChannelReceipt.ID) async throws(PaykitNetworkError) -> ChannelReceipt? {
        try await use { try await $0.record(id.key).map { try ChannelReceipt($0) } }
    }

    /// Returns receipts, the latest stored first. They were stored before the receipt `earlier`; nil for all. `limit`
    /// is the greatest number of receipts.
    package func receipts(
        before earlier: ChannelReceipt.ID?, limit: Int
    ) async throws(PaykitNetworkError) -> [ChannelReceipt] {
        try await use { store in
            var place: Int64?
            if let earlier {
                place = try await store.record(earlier.key)?.place
                guard place != nil else { return [] }
            }
            let query = RecordQuery(
                ChannelReceipt.kind, by: ChannelReceipt.mark, of: RecordMark(""), isReversed: true, after: place,
                limit: limit)
            return try await store.records(query).map { try ChannelReceipt($0) }
        }
    }

    // MARK: Arrivals

    /// Records an arrival. Returns true if it was not recorded before.
    package func note(_ arrival: ChannelArrival) async throws(PaykitNetworkError) -> Bool {
        try await change(arrival.key) { known in
            if let known {
                _ = try arrival.claim(in: known)
                return RecordChange(false)
            }
            return RecordChange([arrival.write(claim: "")], true)
        }
    }

    /// Returns true if an arrival was recorded.
    package func isNoted(_ arrival: ChannelArrival) async throws(PaykitNetworkError) -> Bool {
        try await use { try await $0.record(arrival.key).map { try arrival.claim(in: $0) } != nil }
    }

    /// Records an arrival for one purpose. Returns true if it was not recorded before, or for the same purpose.
    package func claim(_ arrival: ChannelArrival, for purpose: String) async throws(PaykitNetworkError) -> Bool {
        try await change(arrival.key) { known in
            if let known { return RecordChange(try arrival.claim(in: known).isExactly(purpose)) }
            return RecordChange([arrival.write(claim: purpose)], true)
        }
    }

    // MARK: Storing

    private func change<Answer: Sendable>(
        _ key: RecordKey, _ decide: @escaping @Sendable (StoredRecord?) throws -> RecordChange<Answer>
    ) async throws(PaykitNetworkError) -> Answer {
        try await use { try await $0.change([.record(key)]) { try decide($0[0].first) } }
    }

    private func use<Value>(
        _ work: (any RecordStore) async throws -> Value
    ) async throws(PaykitNetworkError) -> Value {
        do { return try await work(store) } catch {
            throw error as? PaykitNetworkError
                ?? PaykitNetworkError(.storage, "the receipts cannot be read or stored: \(error)")
        }
    }
}

/// The stored form of receipts. Either side chooses the texts of an id, so a key is a hash.
extension ChannelReceipt {
    fileprivate static let kind = "paykit-receipt"
    /// All receipts have this mark, with an empty value.
    fileprivate static let mark = "all"

    fileprivate var write: RecordWrite {
        var json: JSONValue = [
            "payer": .string(id.payer), "payee": .string(id.payee), "name": .string(id.name),
            "method": .string(method), "created": .number(JSONNumber(createdAt)), "stage": .string(stage.rawValue),
            // As text, because a value may be as deep as a text may be.
            "metadata": .string(metadata.text),
        ]
        json["amount"] = amount.map { .string($0) }
        json["currency"] = currency.map { .string($0) }
        json["proof"] = proof.map { .string($0.text) }
        return .put(id.key, json.serialized(), marks: [Self.mark: RecordMark("")])
    }

    fileprivate init(_ record: StoredRecord) throws(PaykitNetworkError) {
        do {
            let json = try JSONValue(parsing: record.value)
            func text(_ name: String) throws(PaykitNetworkError) -> String? {
                guard let value = json[name] else { return nil }
                guard let text = value.string else { throw StoredKey.damage }
                return text
            }
            guard let payer = try text("payer"), let payee = try text("payee"), let name = try text("name"),
                let method = try text("method"), let createdAt = json["created"]?.int64,
                let stage = try text("stage").flatMap({ Stage(rawValue: $0) }), let metadata = try text("metadata")
            else { throw StoredKey.damage }
            self.init(
                id: ID(payer: payer, payee: payee, name: name), method: method, amount: try text("amount"),
                currency: try text("currency"), createdAt: createdAt, metadata: try JSONValue(parsing: metadata),
                stage: stage, proof: try text("proof").map { try JSONValue(parsing: $0) })
        } catch { throw StoredKey.damage }
        guard id.key == record.key else { throw StoredKey.damage }
    }
}

extension ChannelReceipt.ID {
    fileprivate var key: RecordKey { StoredKey.key(ChannelReceipt.kind, [payer, payee, name]) }
}

extension ChannelArrival {
    fileprivate var key: RecordKey { StoredKey.key("paykit-arrival", [kind, sender, name]) }

    fileprivate func write(claim: String) -> RecordWrite {
        .put(key, JSONValue.array([kind, sender, name, claim].map { .string($0) }).serialized())
    }

    /// Returns the purpose for which the arrival was recorded; empty without one.
    fileprivate func claim(in record: StoredRecord) throws(PaykitNetworkError) -> String {
        guard let texts = try? JSONValue(parsing: record.value).array?.compactMap(\.string), texts.count == 4,
            zip(texts, [kind, sender, name]).allSatisfy({ $0.isExactly($1) })
        else { throw StoredKey.damage }
        return texts[3]
    }
}

private enum StoredKey {
    static let damage = PaykitNetworkError(
        .storage, "a stored receipt is damaged: restore a backup, and ask the wallet before paying again")

    static func key(_ kind: String, _ texts: [String]) -> RecordKey {
        let hash = Digest.sha256.hash(JSONValue.array(texts.map { .string($0) }).serialized())
        return RecordKey(kind, room: Hex.encode(hash))
    }
}

/// Conversions between stored and sent receipts (Protocol 5.5).
extension ChannelReceipt {
    static let longestMetadata = 16_384
    static let longestName = 128
    static let longestCurrency = 16

    package init(_ record: PaykitReceiptRecord, _ stage: Stage, metadata: JSONValue? = nil) {
        self.init(
            id: ID(payer: record.payer.text, payee: record.payee.text, name: record.id), method: record.methodID,
            amount: record.amount, currency: record.currency, createdAt: record.createdAt,
            metadata: metadata ?? record.metadata, stage: stage)
    }

    /// The receipt as it is sent; nil if payer or payee is not a valid key.
    package var record: PaykitReceiptRecord? {
        guard let payer = try? PubkyKey(bare: id.payer), let payee = try? PubkyKey(bare: id.payee) else { return nil }
        return PaykitReceiptRecord(
            id: id.name, payer: payer, payee: payee, methodID: method, amount: amount, currency: currency,
            createdAt: createdAt, metadata: metadata)
    }

    /// The payee's endpoint in the metadata; nil when there is none.
    package var endpoint: PaykitEndpoint? {
        let text = [Self.endpointName(method), "endpoint"].lazy.compactMap { metadata[$0]?.string?.trimmingWhitespace }
            .first { !$0.isEmpty && $0.utf8.count <= EndpointFile.maximumLength }
        return text.map { PaykitEndpoint(methodID: method, endpoint: $0) }
    }

    static func endpointName(_ method: String) -> String {
        switch method {
        case "lightning": "invoice"
        case "onchain": "address"
        default: "endpoint"
        }
    }
}

extension PaykitReceiptRecord {
    package var isUsable: Bool {
        let isName = { (text: String, most: Int) in
            1...most ~= text.utf8.count && text.utf8.allSatisfy { 0x21...0x7E ~= $0 }
        }
        return isName(id, ChannelReceipt.longestName) && PaykitEndpoint.isMethod(methodID) && createdAt >= 0
            && amount.map(Self.isAmount) ?? true && currency.map { isName($0, ChannelReceipt.longestCurrency) } ?? true
            && (metadata.object != nil || metadata.isNull) && metadata.text.utf8.count <= ChannelReceipt.longestMetadata
    }

    /// Returns true for digits with at most one point between them, not all of them zero.
    private static func isAmount(_ text: String) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        return text.utf8.count <= 40 && 1...2 ~= parts.count
            && parts.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy(\.isASCIIDigit) }
            && text.utf8.contains { $0 != UInt8(ascii: "0") && $0 != UInt8(ascii: ".") }
    }
}

package enum PeerText {
    /// Returns at most 200 visible characters of the text, in one line.
    package static func shown(_ text: String) -> String {
        let visible = text.unicodeScalars.lazy.filter { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: false
            default: true
            }
        }.prefix(200)
        return String(String.UnicodeScalarView(visible))
    }
}
