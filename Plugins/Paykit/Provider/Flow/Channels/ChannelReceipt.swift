public import PaymentCore

/// What payer and payee hold of a payment that they spoke about privately. Who wrote what is the provider's affair; all
/// of it is somebody's own text.
public struct ChannelReceipt: Sendable, Hashable {
    /// Which receipt it is. The name alone is chosen by the payer, so another payer may choose the same.
    public struct ID: Sendable, Hashable {
        /// Who pays.
        public let payer: String
        /// Who is paid.
        public let payee: String
        /// What both call it.
        public let name: String

        /// Creates an id.
        public init(payer: String, payee: String, name: String) {
            self.payer = payer
            self.payee = payee
            self.name = name
        }
    }

    /// How far the payment has come. It never goes back, but from ``Stage/paying`` to ``Stage/confirmed``.
    @nonexhaustive
    public enum Stage: String, Sendable, Hashable, CaseIterable, Comparable {
        /// The payer has asked, or is about to.
        case requested
        /// The payee has said how to pay.
        case confirmed
        /// The payer's wallet was asked to pay: money may have moved.
        case paying
        /// It is paid, as the proof says.
        case paid

        /// Whether `left` comes before `right`.
        public static func < (left: Stage, right: Stage) -> Bool { left.place < right.place }

        private var place: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    }

    /// Which receipt it is.
    public let id: ID
    /// The method, such as `lightning`.
    public let method: String
    /// Decimal text in the currency's own unit; nil where it is open.
    public let amount: String?
    /// Such as `SAT`.
    public let currency: String?
    /// When the payer says that it was made: seconds since 1970.
    public let createdAt: Int64
    /// Whatever both want to know: how to pay among it.
    public var metadata: JSONValue
    /// How far the payment has come.
    public var stage: Stage
    /// What proves that it is paid, such as a preimage; nil before.
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

    /// Whether `other` is about the same payment in every word that was agreed on.
    public func agrees(with other: ChannelReceipt) -> Bool {
        id == other.id && method == other.method && amount == other.amount && currency == other.currency
    }

    /// The receipt for other programs: a JSON object.
    public var exported: JSONValue {
        var members: [String: JSONValue] = [
            "receipt_id": .string(id.name), "payer": .string(id.payer), "payee": .string(id.payee),
            "method_id": .string(method), "created_at": .number(JSONNumber(createdAt)), "metadata": metadata,
            "stage": .string(stage.rawValue),
        ]
        members["amount"] = amount.map { .string($0) }
        members["currency"] = currency.map { .string($0) }
        members["proof"] = proof
        return .object(members)
    }
}

/// Keeps receipts of private payments, and knows what has arrived before. Safe for many tasks, and for several
/// processes where the storage is.
public protocol ReceiptStore: Sendable {
    /// Keeps a receipt, unless there is one of its id.
    ///
    /// - Parameter receipt: what is kept.
    /// - Returns: what is kept now: the earlier one, where there was one.
    /// - Throws: what keeps it from being stored; then nothing was.
    func keep(_ receipt: ChannelReceipt) async throws -> ChannelReceipt

    /// Brings a receipt on to a later stage. Of several who do it at once one succeeds.
    ///
    /// - Parameters:
    ///   - receipt: its id, the stage that it gets, and metadata and proof that it has from then on.
    ///   - stages: at which it has to be now.
    /// - Returns: whether it was at one of them, and so was changed.
    /// - Throws: what keeps it from being stored; then nothing was changed.
    func advance(_ receipt: ChannelReceipt, from stages: Set<ChannelReceipt.Stage>) async throws -> Bool

    /// Returns the receipt of an id; nil when there is none.
    ///
    /// - Parameter id: which.
    /// - Throws: what keeps the store from looking. That is not the same as having none.
    func receipt(_ id: ChannelReceipt.ID) async throws -> ChannelReceipt?

    /// Returns receipts, the latest kept first.
    ///
    /// - Parameters:
    ///   - earlier: only those that were kept before it; nil for all.
    ///   - limit: how many at most.
    /// - Throws: what keeps the store from looking.
    func receipts(before earlier: ChannelReceipt.ID?, limit: Int) async throws -> [ChannelReceipt]

    /// Notes that something has arrived.
    ///
    /// - Parameter arrival: what.
    /// - Returns: whether it was not noted before.
    /// - Throws: what keeps it from being noted; then it is not.
    func note(_ arrival: ChannelArrival) async throws -> Bool

    /// Returns whether something was noted as arrived.
    ///
    /// - Parameter arrival: what.
    /// - Throws: what keeps the store from looking. That is not the same as not arrived.
    func isNoted(_ arrival: ChannelArrival) async throws -> Bool
}

/// Something that somebody sent once and that may be found again and again.
public struct ChannelArrival: Sendable, Hashable {
    /// What it is, such as `request`.
    public let kind: String
    /// Who sent it.
    public let sender: String
    /// What it is called by its sender.
    public let name: String

    /// Creates the description of an arrival.
    public init(kind: String, sender: String, name: String) {
        self.kind = kind
        self.sender = sender
        self.name = name
    }
}
