import PaymentCore

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
