import PaymentCore
import PaymentCrypto

/// A blockchain whose name, coin and contracts are known.
///
/// Coins: SLIP-44 of 2026-08-07 and ethereum-lists/chains. If several numbers circulate, the one that the service was
/// recorded with. Every EVM chain's coin has 18 decimals.
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
    /// The coin; nil if its number is not known, and payments in it are refused.
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

// MARK: - Contracts

/// Contracts that payments were seen to go through.
enum KnownContracts {
    /// The Permit2 contract of a chain (Uniswap permit2, `src/EIP712.sol`, and its SDK's constants): one address
    /// nearly everywhere. Chains whose contracts get other addresses from the same code have their own.
    static func permit2(on chain: String) -> EthereumAddress? {
        switch chain {
        case "eip155:324", "eip155:300", "eip155:260", "eip155:2741": permit2OfZkStack
        case "eip155:2020": permit2OfRonin
        default: permit2
        }
    }

    private static let permit2 = try? EthereumAddress(parsing: "0x000000000022D473030F116dDEE9F6B43aC78BA3")
    private static let permit2OfZkStack = try? EthereumAddress(parsing: "0x0000000000225e31D15943971F47aD3022F714Fa")
    private static let permit2OfRonin = try? EthereumAddress(parsing: "0x771ca29e483df5447e20a89e0f00e1daf09ef534")

    /// Returns true if payments were recorded to go to or through `address` on `chain`. Known for each chain
    /// separately: the same address elsewhere may belong to another party.
    static func hasBeenSeen(_ address: EthereumAddress, on chain: String) -> Bool {
        seen.contains("\(chain):\(address.checksummed)")
    }

    private static let seen: Set<String> = [
        // Takes Permit2 transfers.
        "eip155:1:0x5fae5310F257437fBfed0dA3c417DA410078058E",
        "eip155:56:0x5fae5310F257437fBfed0dA3c417DA410078058E",
        // Collects authorisations (EIP-3009).
        "eip155:1:0x35e6Cb35647076539F8c4d14F51e03841bCd1f0e",
        // Settles payments in a chain's own coin.
        "eip155:1:0x57b2B4288220005234c0E88a04a7943193971D21",
        "eip155:10:0x57b2B4288220005234c0E88a04a7943193971D21",
    ]
}

// MARK: - Reserved addresses

/// The addresses that no payee has: those of a chain itself, and those that stand for no account.
enum ReservedAddresses {
    /// The number of zero bytes in a row that no key's and no contract's address has by chance: finding one takes some
    /// 2⁹² tries. Addresses that were assigned have them: the zero address, precompiled contracts (`0x…01` to `0x…11`,
    /// `0x…0100`), the system contracts of Arbitrum, BNB Smart Chain, Polygon and zkSync, the predeployed ones of the
    /// OP Stack (`0x4200…`) and Scroll (`0x5300…`), those of Avalanche (`0x0100…`), and burning (`0x…dEaD`).
    private static let run = 12

    /// The system contracts whose addresses were searched for (EIP-4788, EIP-2935, EIP-7002, EIP-7251), the system's
    /// own account (EIP-4788), and the placeholder of a chain's own coin.
    private static let others = Set(
        [
            "0x000F3df6D732807Ef1319fB7B8bB8522d0Beac02", "0x0000F90827F1C53a10cb7A02335B175320002935",
            "0x00000961Ef480Eb55e80D19ad83579A64c007002", "0x0000BBdDc7CE488642fb579F8B00f3a590007251",
            "0xfffffffffffffffffffffffffffffffffffffffe", "0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee",
        ].compactMap { try? EthereumAddress(parsing: $0).bytes })

    /// Returns true if money that is sent to `address` is lost.
    static func contain(_ address: EthereumAddress) -> Bool {
        others.contains(address.bytes) || address.bytes.split { $0 != 0 }.contains { $0.count >= run }
    }

    // MARK: Solana

    /// The number of ones in a row, in Base58, that no key has by chance: finding one takes some 2⁹³ tries. The keys
    /// that were assigned have them: the default key, built-in programs (`Vote111…`), the state that the chain itself
    /// keeps (`Sysvar…111…`), the mint of wrapped coins (`So111…112`), and burning (``incinerator``).
    private static let ones = 16

    /// The account whose coins are burnt at the end of each block.
    private static let incinerator = Base58.decode("1nc1nerator11111111111111111111111111111111") ?? []

    /// Returns true if coins, or the tokens of a wallet with this key, are lost.
    static func contain(solana key: [UInt8]) -> Bool {
        SolanaProgram(key: key) != nil
            || Base58.encode(key).utf8.split { $0 != UInt8(ascii: "1") }.contains { $0.count >= ones }
    }

    /// Returns true if a token account is one for burning.
    static func contain(tokenAccount: [UInt8], mint: [UInt8], program: [UInt8]) -> Bool {
        contain(solana: tokenAccount)
            || [incinerator, SolanaProgram.system.key].contains {
                AssociatedTokenAccount.isAccount(tokenAccount, of: $0, mint: mint, program: program)
            }
    }
}
