import PaymentCore
import PaymentCrypto

/// A blockchain whose name, coin and contracts are known.
///
/// Coins: SLIP-44 of 2026-08-07 and ethereum-lists/chains; where several numbers circulate, the one that the service
/// was recorded with. Every EVM chain's coin has 18 decimals.
struct Chain: Sendable {
    /// A chain's own coin.
    struct Coin: Sendable {
        /// The SLIP-44 number as CAIP-19 ids name it.
        let number: String
        let symbol: String
        let decimals: UInt8
    }

    /// CAIP-2.
    let id: String
    let name: String
    /// The coin; nil where its number is not known, and payments in it are refused.
    let coin: Coin?
    /// The contract that wraps the coin as a token, as settlement calls name it.
    let wrapped: EthereumAddress?

    /// Solana's main network.
    static let solana = "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp"
    /// Tron's main network.
    static let tron = "tron:0x2b6653dc"

    /// The chain called `id` (CAIP-2), when it is known.
    static func known(_ id: String) -> Chain? { all[id] }

    private static let all: [String: Chain] = Dictionary(
        uniqueKeysWithValues: [
            evm(1, "Ethereum", coin: "60", "ETH", wrapped: "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2"),
            evm(10, "Optimism", coin: "60", "ETH", wrapped: opStackWrapped),
            evm(56, "BNB Smart Chain", coin: "714", "BNB", wrapped: "0xbb4CdB9CBd36B01bD1cBaEBF2De08d9173bc095c"),
            evm(100, "Gnosis", coin: "700", "XDAI", wrapped: "0xe91D153E0b41518A2Ce8Dd3D7944Fa863463a97d"),
            evm(130, "Unichain", coin: "60", "ETH", wrapped: opStackWrapped),
            evm(137, "Polygon", coin: "966", "POL", wrapped: "0x0d500B1d8E8eF31E21C99d1Db9A6444d3ADf1270"),
            evm(143, "Monad", coin: "268435779", "MON", wrapped: "0x3bd359C1119dA7Da1D913D1C4D2B7c461115433A"),
            evm(146, "Sonic", coin: "10007", "S"),
            evm(324, "zkSync Era", coin: "60", "ETH", wrapped: "0x5AEa5775959fBC2557Cc8789bC1bf90A239D9a91"),
            evm(480, "World Chain", coin: "60", "ETH", wrapped: opStackWrapped),
            evm(999, "HyperEVM", coin: "2457", "HYPE"),
            evm(1868, "Soneium", coin: "60", "ETH", wrapped: opStackWrapped),
            evm(4326, "MegaETH", coin: "60", "ETH"),
            evm(8453, "Base", coin: "60", "ETH", wrapped: opStackWrapped),
            evm(42161, "Arbitrum", coin: "60", "ETH", wrapped: "0x82aF49447D8a07e3bd95BD0d56f35241523fBab1"),
            evm(42220, "Celo", coin: "52752", "CELO"),
            evm(43114, "Avalanche", coin: "9005", "AVAX", wrapped: "0xB31f66AA3C1e785363F0875A1B74E27b85FD66c7"),
            evm(57073, "Ink", coin: "60", "ETH", wrapped: opStackWrapped),
            evm(59144, "Linea", coin: "60", "ETH", wrapped: "0xe5D7C2a44FfDDf6b295A15c148167daaAf5Cf34f"),
            evm(80094, "Berachain", coin: "8008", "BERA", wrapped: "0x6969696969696969696969696969696969696969"),
            evm(534_352, "Scroll", coin: "60", "ETH", wrapped: "0x5300000000000000000000000000000000000004"),
            // Tokens are known here, the coin's number is not.
            evm(14, "Flare"), evm(196, "X Layer"), evm(988, "Stable"), evm(2020, "Ronin"), evm(2741, "Abstract"),
            evm(9745, "Plasma"),
            Chain(
                id: solana, name: "Solana", coin: Coin(number: "501", symbol: "SOL", decimals: 9), wrapped: nil),
            Chain(id: tron, name: "Tron", coin: Coin(number: "195", symbol: "TRX", decimals: 6), wrapped: nil),
        ].map { ($0.id, $0) })

    /// Chains of the OP stack have their wrapped ether at one address.
    private static let opStackWrapped = "0x4200000000000000000000000000000000000006"

    private static func evm(
        _ number: Int, _ name: String, coin: String? = nil, _ symbol: String = "", wrapped: String? = nil
    ) -> Chain {
        Chain(
            id: "eip155:\(number)", name: name,
            coin: coin.map { Coin(number: $0, symbol: symbol, decimals: 18) },
            wrapped: wrapped.flatMap { try? EthereumAddress(parsing: $0) })
    }
}
