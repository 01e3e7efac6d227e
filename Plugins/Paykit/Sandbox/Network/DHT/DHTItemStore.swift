import PaykitProvider
import PaymentCore
import PaymentCrypto

/// The items that a node stores for others: a bounded number of signed ones, each for two hours after its last put.
struct DHTItemStore: Sendable {
    private struct Entry {
        var item: KRPCItem
        var putAt: Duration
    }

    /// The most items.
    static let limit = 1000
    /// The time for which an item is kept.
    static let lifetime = Duration.seconds(7200)
    /// The most bytes of a salt.
    static let saltLimit = 64

    private var entries: [NodeID: Entry] = [:]

    var count: Int { entries.count }

    mutating func item(at target: NodeID, now: Duration) -> KRPCItem? {
        guard let entry = entries[target] else { return nil }
        guard now - entry.putAt < Self.lifetime else {
            entries[target] = nil
            return nil
        }
        return entry.item
    }

    /// Stores an item, unless a rule forbids it.
    ///
    /// - Returns: the reason that it is not stored; nil when it is.
    mutating func put(_ put: KRPCPut, now: Duration) -> KRPCError? {
        guard put.item.value.count <= MutableItem.valueLimit else { return .valueTooLarge }
        guard put.salt.count <= Self.saltLimit else { return .saltTooLarge }
        let message = MutableItem.signable(sequence: put.item.sequence, value: put.item.value, salt: put.salt)
        guard Ed25519.isValid(put.item.signature, message: message, publicKey: put.item.key) else { return .signature }
        let target = MutableItem.target(key: put.item.key, salt: put.salt)
        if let known = item(at: target, now: now) {
            if let replaced = put.replacing, replaced != known.sequence { return .mismatch }
            if put.item.sequence < known.sequence { return .sequenceTooLow }
        }
        if entries[target] == nil, entries.count >= Self.limit {
            // The item with the earliest put makes room; of several, the nearest to zero.
            let oldest = entries.min { ($0.value.putAt, $0.key) < ($1.value.putAt, $1.key) }
            if let oldest { entries[oldest.key] = nil }
        }
        entries[target] = Entry(item: put.item, putAt: now)
        return nil
    }
}
