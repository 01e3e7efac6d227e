/// One kind of thing that can be owned, on one chain.
package struct Asset: Sendable, Hashable {
    package let chain: String
    /// `coin`, or a kind and a contract or mint, in lower case where case has no meaning.
    package let name: String

    package init(chain: String, name: String) {
        self.chain = chain
        self.name = name
    }

    package static func coin(_ chain: String) -> Asset { Asset(chain: chain, name: "coin") }
    package static func token(_ chain: String, _ address: String) -> Asset {
        Asset(chain: chain, name: "erc20:\(address)")
    }
}

/// The power that the answer to a call grants; its possible uses count, not its own description.
package enum Act: Sendable, Hashable {
    /// A signature that moves up to `most` of an asset, once for each `nonce`, after `start` and until `end`, both
    /// inclusive. Anyone may submit it: the adversary does.
    case signature(Signature)
    /// A transaction that moves an amount at once.
    case transfer(Asset, Amount, to: String)
    /// A transaction that pays through a contract: people see the receiver, and the end of its validity.
    case settlement(Asset, Amount, through: String, receiver: String, end: Amount)
    /// A standing allowance.
    case allowance(Asset, spender: String, Amount)
    /// The network's fee in the coin's minor units, and its payer.
    case fee(chain: String, payer: String, most: UInt64)
    /// Opens an account for `owner` at the cost of `funder`.
    case opening(chain: String, funder: String, owner: String)
    /// An effect without known limits.
    case ruin(String)

    package struct Signature: Sendable, Hashable {
        package let asset: Asset
        package let most: Amount
        /// The account that may submit it or receives it: different signatures have different effects.
        package let beneficiary: String
        package let start: UInt64
        package let end: UInt64
        package let nonce: String
    }
}

/// The payer's belongings, and an adversary with every power that the payer grants.
///
/// The payer owns very much of everything, everywhere, and Permit2 may move all of it: the worst case, because earlier
/// payments gave unlimited allowances. Permit2 moves tokens for a signature only; every other spender is the adversary.
package struct World: Sendable {
    private static let wealth = Amount(UInt64.max) + Amount(UInt64.max)

    private let payer: String
    private var lost: [Asset: Amount] = [:]
    private var usedNonces: Set<String> = []
    /// The reason that nothing is safe any more.
    package private(set) var ruin: String?

    package init(payer: String) { self.payer = payer }

    /// The payer's losses.
    package var losses: [Asset: Amount] { lost }

    /// Lets the adversary use the power of `act`, at `time`.
    package mutating func use(_ act: Act, at time: UInt64) {
        switch act {
        case .signature(let signature):
            guard (signature.start...max(signature.start, signature.end)).contains(time),
                signature.end >= signature.start, usedNonces.insert(signature.nonce).inserted
            else { return }
            lose(signature.asset, signature.most)
        case .transfer(let asset, let amount, let recipient):
            if recipient != payer { lose(asset, amount) }
        case .settlement(let asset, let amount, _, _, _): lose(asset, amount)
        case .allowance(let asset, let spender, let amount):
            // Permit2 had that allowance before. With any other, the current tokens are lost, and all later ones.
            if spender != Ethereum.permit2(asset.chain) { lose(asset, max(amount, Self.wealth)) }
        case .fee, .opening: break
        case .ruin(let reason): ruin = ruin ?? reason
        }
    }

    private mutating func lose(_ asset: Asset, _ amount: Amount) {
        if !amount.isZero { lost[asset] = lost[asset, default: .zero] + amount }
    }
}
