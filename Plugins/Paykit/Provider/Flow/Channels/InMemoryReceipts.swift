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
