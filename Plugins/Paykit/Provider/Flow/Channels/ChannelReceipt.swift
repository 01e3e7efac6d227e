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

/// Stores receipts of private payments and records arrivals. It is safe for concurrent tasks, and for several processes
/// if its storage is.
public protocol ReceiptStore: Sendable {
    /// Stores a receipt, unless there is one of its id.
    ///
    /// - Returns: the receipt that is stored now: the earlier one, if there was one.
    /// - Throws: the storage failure; nothing was stored then.
    func keep(_ receipt: ChannelReceipt) async throws -> ChannelReceipt

    /// Advances a receipt to a later stage. Of several concurrent calls one succeeds. `receipt` is the receipt's id,
    /// and its new stage, metadata and proof. `stages` are the stages that it may have now.
    ///
    /// - Returns: true if it had one of them, and was changed.
    /// - Throws: the storage failure; nothing was changed then.
    func advance(_ receipt: ChannelReceipt, from stages: Set<ChannelReceipt.Stage>) async throws -> Bool

    /// Returns the receipt of an id; nil when there is none.
    ///
    /// - Throws: the storage failure. It does not mean that there is no receipt.
    func receipt(_ id: ChannelReceipt.ID) async throws -> ChannelReceipt?

    /// Returns receipts, the latest stored first. They were stored before the receipt `earlier`; nil for all. `limit`
    /// is the greatest number of receipts.
    ///
    /// - Throws: the storage failure.
    func receipts(before earlier: ChannelReceipt.ID?, limit: Int) async throws -> [ChannelReceipt]

    /// Records an arrival.
    ///
    /// - Returns: true if it was not recorded before.
    /// - Throws: the storage failure; nothing was recorded then.
    func note(_ arrival: ChannelArrival) async throws -> Bool

    /// Returns true if an arrival was recorded.
    ///
    /// - Throws: the storage failure. It does not mean that nothing has arrived.
    func isNoted(_ arrival: ChannelArrival) async throws -> Bool
}

/// The identity of a message that was sent once but may be found repeatedly.
public struct ChannelArrival: Sendable, Hashable {
    /// The kind of message, such as `request`.
    public let kind: String
    /// The sender.
    public let sender: String
    /// The sender's identifier for it.
    public let name: String

    /// Creates an arrival.
    public init(kind: String, sender: String, name: String) {
        self.kind = kind
        self.sender = sender
        self.name = name
    }
}

/// Receipts that are lost when the process ends: for tests, previews and demonstrations.
public actor InMemoryReceipts: ReceiptStore {
    private var order: [ChannelReceipt.ID] = []
    private var receipts: [ChannelReceipt.ID: ChannelReceipt] = [:]
    private var arrivals: Set<ChannelArrival> = []

    /// Creates an empty store.
    public init() {}

    /// Stores a receipt, unless there is one of its id.
    public func keep(_ receipt: ChannelReceipt) -> ChannelReceipt {
        if let known = receipts[receipt.id] { return known }
        order.append(receipt.id)
        receipts[receipt.id] = receipt
        return receipt
    }

    /// Advances a receipt to a later stage.
    public func advance(_ receipt: ChannelReceipt, from stages: Set<ChannelReceipt.Stage>) -> Bool {
        guard var known = receipts[receipt.id], stages.contains(known.stage) else { return false }
        known.stage = receipt.stage
        known.metadata = receipt.metadata
        known.proof = receipt.proof
        receipts[receipt.id] = known
        return true
    }

    /// Returns the receipt of an id; nil when there is none.
    public func receipt(_ id: ChannelReceipt.ID) -> ChannelReceipt? { receipts[id] }

    /// Returns receipts, the latest stored first.
    public func receipts(before earlier: ChannelReceipt.ID?, limit: Int) -> [ChannelReceipt] {
        let end = earlier.map { order.firstIndex(of: $0) ?? 0 } ?? order.count
        return order[..<end].suffix(max(0, limit)).reversed().compactMap { receipts[$0] }
    }

    /// Records an arrival.
    public func note(_ arrival: ChannelArrival) -> Bool { arrivals.insert(arrival).inserted }

    /// Returns true if an arrival was recorded.
    public func isNoted(_ arrival: ChannelArrival) -> Bool { arrivals.contains(arrival) }
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

extension ReceiptStore {
    func mappingErrors<Value: Sendable>(
        _ work: @Sendable (Self) async throws -> Value
    ) async throws(PaykitNetworkError) -> Value {
        do { return try await work(self) } catch {
            throw PaykitNetworkError(.storage, "the receipt cannot be stored or read, so nothing is paid: \(error)")
        }
    }
}
