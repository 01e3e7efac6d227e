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
    /// The amount as decimal text in the currency's own unit; nil where it is open.
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
/// where its storage is.
public protocol ReceiptStore: Sendable {
    /// Stores a receipt, unless there is one of its id.
    ///
    /// - Returns: the receipt that is stored now: the earlier one, where there was one.
    /// - Throws: the storage failure; nothing was stored then.
    func keep(_ receipt: ChannelReceipt) async throws -> ChannelReceipt

    /// Advances a receipt to a later stage. Of several concurrent calls one succeeds. `receipt` is the receipt's id,
    /// and its new stage, metadata and proof. `stages` are the stages at one of which it has to be now.
    ///
    /// - Returns: true if it was at one of them, and so was changed.
    /// - Throws: the storage failure; nothing was changed then.
    func advance(_ receipt: ChannelReceipt, from stages: Set<ChannelReceipt.Stage>) async throws -> Bool

    /// Returns the receipt of an id; nil when there is none.
    ///
    /// - Throws: the storage failure. It does not mean that there is no receipt.
    func receipt(_ id: ChannelReceipt.ID) async throws -> ChannelReceipt?

    /// Returns receipts, the latest stored first. `earlier` is the receipt before which the results were stored; nil
    /// for all. `limit` is the greatest number of receipts.
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
