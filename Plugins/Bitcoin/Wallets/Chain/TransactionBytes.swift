import PaymentCore
import PaymentCrypto

/// A transaction as wallets return it: what it spends, and what it pays. Source: BIP-144 for the two forms; the older
/// one has no witnesses.
struct TransactionBytes {
    /// An output that is spent.
    struct Source: Hashable {
        let transaction: String
        let index: UInt32
    }

    /// The id, as the chain writes it: the digest of the older form.
    let id: String
    let sources: [Source]
    /// The amounts of its outputs, in satoshi.
    let amounts: [UInt64]

    /// Reads a transaction; nil where it is truncated or spends nothing.
    ///
    /// - Parameter isSigned: true for one whose id is final. One that is not must have no script beside what it spends,
    ///   with which its id could still change, and no witnesses.
    init?(_ bytes: [UInt8], isSigned: Bool = false) {
        var rest = bytes[...]
        func take(_ count: UInt64) -> ArraySlice<UInt8>? {
            guard count <= UInt64(rest.count) else { return nil }
            defer { rest = rest.dropFirst(Int(count)) }
            return rest.prefix(Int(count))
        }
        func number(_ count: UInt64) -> UInt64? { take(count)?.reversed().reduce(0) { $0 << 8 | UInt64($1) } }
        func size() -> UInt64? {
            guard let first = number(1) else { return nil }
            return first < 0xFD ? first : number(1 << (first - 0xFC))
        }
        guard let version = take(4) else { return nil }
        let hasWitnesses = isSigned && rest.starts(with: [0, 1])
        if hasWitnesses { rest = rest.dropFirst(2) }
        let body = rest
        guard let sourceCount = size(), sourceCount > 0 else { return nil }
        var sources: [Source] = []
        for _ in 0..<sourceCount {
            guard let hash = take(32), let index = number(4), let script = size(), isSigned || script == 0,
                take(script) != nil, take(4) != nil
            else { return nil }
            sources.append(Source(transaction: Hex.encode(hash.reversed()), index: UInt32(index)))
        }
        guard let amountCount = size(), amountCount > 0 else { return nil }
        var amounts: [UInt64] = []
        for _ in 0..<amountCount {
            guard let amount = number(8), let length = size(), take(length) != nil else { return nil }
            amounts.append(amount)
        }
        let core = version + body[..<rest.startIndex]
        for _ in 0..<(hasWitnesses ? sourceCount : 0) {
            guard let parts = size() else { return nil }
            for _ in 0..<parts { guard let length = size(), take(length) != nil else { return nil } }
        }
        guard let lock = take(4), rest.isEmpty else { return nil }
        id = Hex.encode(Digest.sha256.hash(Digest.sha256.hash(Array(core + lock))).reversed())
        (self.sources, self.amounts) = (sources, amounts)
    }

    /// Returns true if it pays an amount, and beside it no more than the change.
    func pays(_ amount: UInt64) -> Bool { amounts.contains(amount) && amounts.count <= 2 }

    /// Returns the fee by the amounts of `known` outputs; nil where one that is spent is not among them, or less is
    /// spent than paid.
    func fee(_ known: [Source: UInt64]) -> UInt64? {
        guard let spent = Self.sum(sources.map { known[$0] }), let paid = Self.sum(amounts), paid <= spent,
            Set(sources).count == sources.count
        else { return nil }
        return spent - paid
    }

    private static func sum(_ amounts: [UInt64?]) -> UInt64? {
        var total: UInt64 = 0
        for amount in amounts {
            guard let amount else { return nil }
            let (sum, isOver) = total.addingReportingOverflow(amount)
            guard !isOver else { return nil }
            total = sum
        }
        return total
    }
}
