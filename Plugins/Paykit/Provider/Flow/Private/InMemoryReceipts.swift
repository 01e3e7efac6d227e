/// Receipts that are forgotten with the process: for tests, previews and demonstrations.
public actor InMemoryReceipts: ReceiptStore {
    /// In the order in which they were kept.
    private var order: [PrivateReceipt.ID] = []
    private var receipts: [PrivateReceipt.ID: PrivateReceipt] = [:]
    private var arrivals: Set<PrivateArrival> = []

    /// Creates an empty store.
    public init() {}

    /// Keeps a receipt, unless there is one of its id.
    ///
    /// - Returns: what is kept now.
    public func keep(_ receipt: PrivateReceipt) -> PrivateReceipt {
        if let known = receipts[receipt.id] { return known }
        order.append(receipt.id)
        receipts[receipt.id] = receipt
        return receipt
    }

    /// Brings a receipt on to a later stage.
    ///
    /// - Returns: whether it was at one of `stages`, and so was changed.
    public func advance(_ receipt: PrivateReceipt, from stages: Set<PrivateReceipt.Stage>) -> Bool {
        guard var known = receipts[receipt.id], stages.contains(known.stage) else { return false }
        known.stage = receipt.stage
        known.metadata = receipt.metadata
        known.proof = receipt.proof
        receipts[receipt.id] = known
        return true
    }

    /// Returns the receipt of an id; nil when there is none.
    public func receipt(_ id: PrivateReceipt.ID) -> PrivateReceipt? { receipts[id] }

    /// Returns receipts, the latest kept first.
    public func receipts(before earlier: PrivateReceipt.ID?, limit: Int) -> [PrivateReceipt] {
        let end = earlier.map { order.firstIndex(of: $0) ?? 0 } ?? order.count
        return order[..<end].suffix(max(0, limit)).reversed().compactMap { receipts[$0] }
    }

    /// Notes that something has arrived.
    ///
    /// - Returns: whether it was not noted before.
    public func note(_ arrival: PrivateArrival) -> Bool { arrivals.insert(arrival).inserted }

    /// Returns whether something was noted as arrived.
    public func isNoted(_ arrival: PrivateArrival) -> Bool { arrivals.contains(arrival) }
}
