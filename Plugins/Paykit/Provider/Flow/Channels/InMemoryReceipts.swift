/// Receipts that are forgotten with the process: for tests, previews and demonstrations.
public actor InMemoryReceipts: ReceiptStore {
    /// In the order in which they were kept.
    private var order: [ChannelReceipt.ID] = []
    private var receipts: [ChannelReceipt.ID: ChannelReceipt] = [:]
    private var arrivals: Set<ChannelArrival> = []

    /// Creates an empty store.
    public init() {}

    /// Keeps a receipt, unless there is one of its id.
    ///
    /// - Returns: what is kept now.
    public func keep(_ receipt: ChannelReceipt) -> ChannelReceipt {
        if let known = receipts[receipt.id] { return known }
        order.append(receipt.id)
        receipts[receipt.id] = receipt
        return receipt
    }

    /// Brings a receipt on to a later stage.
    ///
    /// - Returns: whether it was at one of `stages`, and so was changed.
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

    /// Returns receipts, the latest kept first.
    public func receipts(before earlier: ChannelReceipt.ID?, limit: Int) -> [ChannelReceipt] {
        let end = earlier.map { order.firstIndex(of: $0) ?? 0 } ?? order.count
        return order[..<end].suffix(max(0, limit)).reversed().compactMap { receipts[$0] }
    }

    /// Notes that something has arrived.
    ///
    /// - Returns: whether it was not noted before.
    public func note(_ arrival: ChannelArrival) -> Bool { arrivals.insert(arrival).inserted }

    /// Returns whether something was noted as arrived.
    public func isNoted(_ arrival: ChannelArrival) -> Bool { arrivals.contains(arrival) }
}
