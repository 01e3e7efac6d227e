import PaymentCore
import PaymentCrypto
import Synchronization

/// The wallet on the chain of a simulated node: coins, transactions that are prepared, and those that are published. It
/// counts what it sends. Amounts are in satoshi.
package final class SimulatedChain: Sendable {
    /// A coin.
    struct Coin {
        let transaction: String
        let index: UInt32
        let amount: UInt64
        var isReserved = false
    }

    /// A transaction.
    struct Transaction {
        let id: String
        let bytes: [UInt8]
        let address: String
        let amount: UInt64
        let coin: Int
        /// The height of the chain when it was published.
        var height: UInt64 = 0

        /// The signed form: the witnesses are no signatures.
        var signed: [UInt8] {
            bytes.prefix(4) + [0, 1] + bytes.dropFirst(4).dropLast(4) + [1, 1, 0x51] + bytes.suffix(4)
        }
    }

    /// The behaviour of the chain's node when a transaction is published.
    package enum Publishing: Sendable {
        case takes, refuses
        /// It takes the transaction, and the answer says that it did not.
        case takesAndSaysNo
        /// The wallet keeps the transaction while the chain's nodes look at it; then they refuse it.
        case triesInVain
    }

    private struct State {
        var coins = (0..<8).map {
            Coin(transaction: String(repeating: "c\($0)", count: 32), index: 1, amount: 1_000_000)
        }
        var prepared: [String: Transaction] = [:]
        var published: [Transaction] = []
        /// The transactions that the wallet is broadcasting.
        var kept: [Transaction] = []
        var publishing = Publishing.takes
        var fee: UInt64 = 300
    }

    private let state = Mutex(State())

    /// The behaviour from now on.
    package var publishing: Publishing {
        get { state.withLock(\.publishing) }
        set { state.withLock { $0.publishing = newValue } }
    }

    /// The fee of each transaction.
    package var fee: UInt64 {
        get { state.withLock(\.fee) }
        set { state.withLock { $0.fee = newValue } }
    }

    /// The payments that were published, as addresses and amounts.
    package var payments: [(address: String, amount: UInt64)] {
        published.filter { $0.coin >= 0 }.map { ($0.address, $0.amount) }
    }

    /// The number of coins that are reserved and not spent.
    package var reservedCount: Int { state.withLock { $0.coins.count(where: \.isReserved) } }

    var published: [Transaction] { state.withLock(\.published) }

    var coins: [Coin] { state.withLock(\.coins) }

    /// Forgets prepared transactions, as a node does that starts again.
    package func restart() { state.withLock { $0.prepared = [:] } }

    /// Returns the prepared transaction with the bytes of either form; nil if there is none.
    func prepared(_ bytes: [UInt8]) -> Transaction? {
        state.withLock { $0.prepared.values.first { $0.bytes == bytes || $0.signed == bytes } }
    }

    /// Frees a coin that is reserved, and forgets nothing.
    func free(_ transaction: String, _ index: UInt32) -> Bool {
        state.withLock { state in
            let place = state.coins.firstIndex {
                $0.transaction == transaction && $0.index == index && $0.isReserved
            }
            if let place { state.coins[place].isReserved = false }
            return place != nil
        }
    }

    /// Prepares a transaction; nil if no coin suffices.
    func prepare(_ address: String, _ amount: UInt64) -> Transaction? {
        state.withLock { state in
            let fee = state.fee
            guard let index = state.coins.firstIndex(where: { !$0.isReserved && $0.amount > amount + fee }) else {
                return nil
            }
            state.coins[index].isReserved = true
            let coin = state.coins[index]
            let bytes = Self.bytes(coin, [(address, amount), ("change", coin.amount - amount - fee)])
            let id = Hex.encode(Digest.sha256.hash(Digest.sha256.hash(bytes)).reversed())
            let transaction = Transaction(id: id, bytes: bytes, address: address, amount: amount, coin: index)
            state.prepared[id] = transaction
            return transaction
        }
    }

    /// Returns a transaction that the wallet has; nil if there is none.
    func known(_ id: String) -> Transaction? {
        state.withLock { state in (state.published + state.kept).first { $0.id == id } }
    }

    /// Adds transactions of the wallet that are other payments.
    package func addOthers(_ count: Int) {
        state.withLock { state in
            for number in 0..<count {
                let bytes = Array("another \(state.published.count) \(number)".utf8)
                state.published.append(
                    Transaction(
                        id: Hex.encode(Digest.sha256.hash(bytes)), bytes: bytes, address: "", amount: 1, coin: -1))
            }
        }
    }

    /// Drops the transactions that the chain's nodes have refused.
    package func drop() { state.withLock { $0.kept = [] } }

    /// Takes a prepared transaction and publishes it; nil if there is none.
    func send(_ id: String, at height: UInt64) -> (transaction: Transaction, isAcknowledged: Bool)? {
        state.withLock { state in
            guard var transaction = state.prepared.removeValue(forKey: id) else { return nil }
            transaction.height = height
            // A coin is spent once.
            let isSpent = state.published.contains { $0.coin == transaction.coin }
            if state.publishing == .triesInVain { state.kept.append(transaction) }
            if isSpent || state.publishing == .refuses || state.publishing == .triesInVain {
                if !isSpent { state.coins[transaction.coin].isReserved = false }
                return (transaction, false)
            }
            state.coins[transaction.coin].isReserved = true
            state.published.append(transaction)
            return (transaction, state.publishing == .takes)
        }
    }

    /// Takes a prepared transaction off; nil if there is none.
    func discard(_ id: String) -> Transaction? {
        state.withLock { state in
            guard let transaction = state.prepared.removeValue(forKey: id) else { return nil }
            state.coins[transaction.coin].isReserved = false
            return transaction
        }
    }

    /// The bytes of a transaction without signatures, whose scripts are the digests of their addresses.
    private static func bytes(_ coin: Coin, _ outputs: [(address: String, amount: UInt64)]) -> [UInt8] {
        func number(_ value: UInt64, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
        }
        var bytes = number(2, 4) + [1] + (Hex.decode(coin.transaction) ?? []).reversed() + number(UInt64(coin.index), 4)
        bytes += [0] + number(0xFFFF_FFFD, 4) + [UInt8(outputs.count)]
        for (address, amount) in outputs {
            let script = [0, 32] + Digest.sha256.hash(Array(address.utf8))
            bytes += number(amount, 8) + [UInt8(script.count)] + script
        }
        return bytes + number(0, 4)
    }
}
