import PaymentCore
import PaymentTesting
import Synchronization

/// A simulated chain with balances. A wallet's broadcast moves its coins at once, whatever status a service reports.
final class Chain: Sendable {
    /// Coins that went from one account to another.
    struct Transfer: Sendable, Hashable {
        let from: String
        let to: String
        /// The chain, by its CAIP-2 name.
        let chain: String
        /// Minor units.
        let value: UInt128
        let hash: String
    }

    private struct State {
        var balances: [String: Int128] = [:]
        var transfers: [Transfer] = []
    }

    private let random: SeededRandomSource
    private let state = Mutex(State())

    init(random: SeededRandomSource) { self.random = random }

    /// Sends the transaction of an `eth_sendTransaction` call. One without a value, such as an approval, moves nothing.
    func broadcast(_ call: JSONValue, on chain: String) -> (hash: String, transfer: Transfer?) {
        let hash = "0x" + random.hex(64)
        guard let from = call["from"]?.string, let to = call["to"]?.string,
            let value = call["value"]?.string.flatMap({ UInt128($0.dropFirst(2), radix: 16) }), value > 0
        else { return (hash, nil) }
        let transfer = Transfer(from: from, to: to, chain: chain, value: value, hash: hash)
        state.withLock { state in
            state.balances["\(chain):\(from)", default: 0] -= Int128(value)
            state.balances["\(chain):\(to)", default: 0] += Int128(value)
            state.transfers.append(transfer)
        }
        return (hash, transfer)
    }

    /// The gain of an account, in minor units; negative for a loss.
    func balance(of account: String, on chain: String) -> Int128 {
        state.withLock { $0.balances["\(chain):\(account)"] ?? 0 }
    }

    /// Every transfer so far, oldest first.
    var transfers: [Transfer] { state.withLock { $0.transfers } }
}
