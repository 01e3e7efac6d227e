package import PaymentCore

/// A chain's own coin: its chain, and the unit of its amounts.
struct ChainCoin: Sendable, Hashable {
    /// The coin's usual short name.
    let symbol: String
    /// The number of decimal digits of its smallest unit.
    let exponent: UInt8
    /// The chain's CAIP-2 id; its name if no id is registered.
    let chain: String
    /// The coin's id, with its number in SLIP-44; nil without a CAIP-2 id for the chain.
    let asset: AssetID?

    static let solana = Self("SOL", 9, "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp", slip44: 501)
    static let stellar = Self("XLM", 7, "stellar:pubnet", slip44: 148)
    static let xrp = Self("XRP", 6, "xrpl:0", slip44: 144)
    static let monero = Self("XMR", 12, "monero", slip44: nil)
    static let bitcoinCash = Self("BCH", 8, "bip122:000000000000000000651ef99cb9fcbe", slip44: 145)
    static let litecoin = Self("LTC", 8, "bip122:12a765e31ffd4059bada1e25190f6e98", slip44: 2)
    static let dogecoin = Self("DOGE", 8, "bip122:1a91e3dace36e2be3bf030a65679fe82", slip44: 3)
    static let dash = Self("DASH", 8, "bip122:00000ffd590b1485b3caadc19b22e637", slip44: 5)
    static let zcash = Self("ZEC", 8, "bip122:00040fe8ec8471911baa1db1266ea15d", slip44: 133)
    static let cardano = Self("ADA", 6, "cip34:1-764824073", slip44: 1815)
    static let ton = Self("TON", 9, "tvm:-239", slip44: 607)
    static let tron = Self("TRX", 6, "tron:0x2b6653dc", slip44: 195)
    static let tezos = Self("XTZ", 6, "tezos:NetXdQprcVkpaWU", slip44: 1729)
    static let algorand = Self("ALGO", 6, "algorand:wGHE2Pwdvd7S12BL5FaOP20EGYesN73k", slip44: 283)
    static let nano = Self("XNO", 30, "nano", slip44: nil)
    static let sui = Self("SUI", 9, "sui:mainnet", slip44: 784)

    static let all = [
        solana, stellar, xrp, monero, bitcoinCash, litecoin, dogecoin, dash, zcash, cardano, ton, tron, tezos, algorand,
        nano, sui,
    ]

    private init(_ symbol: String, _ exponent: UInt8, _ chain: String, slip44: Int?) {
        self.symbol = symbol
        self.exponent = exponent
        self.chain = chain
        asset = slip44.flatMap { try? AssetID("\(chain)/slip44:\($0)") }
    }

    /// Returns an amount of `units` of the smallest unit. `digits` are the same amount in coins.
    func amount(units: UInt128, digits: String) -> PaymentInstruction.Amount {
        let money = asset.flatMap { try? Money(minorUnits: units, currency: .asset($0), exponent: exponent) }
        return money.map { .fixed($0) } ?? .uncounted(digits: digits, unit: symbol)
    }

    /// Returns the amount of `decimal` coins.
    func amount(_ decimal: DecimalText) -> PaymentInstruction.Amount {
        guard let units = decimal.units(exponent: Int(exponent)) else {
            return .uncounted(digits: decimal.text, unit: symbol)
        }
        return amount(units: units, digits: decimal.text)
    }

    /// Returns `units` of the smallest unit in coins, with no more digits than needed.
    func digits(units: UInt128) -> String {
        String(units).asUnits(exponent: Int(exponent))
    }
}

/// A token of Tron (TRC-20), by the address of its contract.
enum TronToken {
    /// The tokens whose decimals are known, as their issuers publish them.
    private static let known: [String: (symbol: String, decimals: UInt8)] = [
        "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t": ("USDT", 6), "TEkxiTehnzSmSe2XqrX4w32RUN966rdz8": ("USDC", 6),
    ]

    private static func asset(_ contract: String) -> AssetID? {
        try? AssetID("\(ChainCoin.tron.chain)/trc20:\(contract)")
    }

    /// Returns `decimal` tokens of `contract`.
    static func amount(_ decimal: DecimalText, of contract: String) -> PaymentInstruction.Amount {
        let asset = asset(contract)
        if let asset, let token = known[contract], let units = decimal.units(exponent: Int(token.decimals)),
            let money = try? Money(minorUnits: units, currency: .asset(asset), exponent: token.decimals)
        {
            return .fixed(money)
        }
        let id = asset.map { "caip19/\($0.text)" } ?? "\(ChainCoin.tron.chain)/\(contract)"
        return .tokens(decimal.text, of: id, isSmallest: false)
    }

    /// Returns symbol and decimals of `asset`, a token of Tron that is known.
    static func coin(_ asset: AssetID) -> (symbol: String, decimals: UInt8)? {
        guard asset.chain.text == ChainCoin.tron.chain, asset.namespace == "trc20" else { return nil }
        return known[String(asset.reference)]
    }
}

extension KnownStandards {
    /// Returns the symbol and the decimals of a chain's own coin, or of a known token that a text names by its
    /// contract; nil for other assets.
    package static func coin(_ asset: AssetID) -> (symbol: String, decimals: UInt8)? {
        ChainCoin.all.first { $0.asset == asset }.map { ($0.symbol, $0.exponent) } ?? TronToken.coin(asset)
    }
}
