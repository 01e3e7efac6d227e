package import PaymentCore
import PaymentCrypto

/// The name of an asset that is a fact, not a service's claim: for amounts as people write them.
package struct KnownAsset: Sendable, Hashable {
    /// The name that is shown, such as `USDC`.
    package let symbol: String
    /// The chain's name, such as `Base`.
    package let chain: String
    /// The number of its decimal digits. An amount that counts in others is not this asset's, whatever its id says.
    package let decimals: UInt8

    /// Looks `asset` up in the tables; nil when they lack it.
    package init?(_ asset: AssetID) {
        guard asset.tokenID == nil, let chain = Chain.known(asset.chain.text) else { return nil }
        self.chain = chain.name
        if asset.namespace == "slip44" {
            guard let coin = chain.coin, coin.number[...] == asset.reference else { return nil }
            (symbol, decimals) = (coin.symbol, coin.decimals)
            return
        }
        var reference = String(asset.reference)
        if asset.namespace == "erc20" {
            guard let address = try? EthereumAddress(parsing: reference) else { return nil }
            reference = address.checksummed
        }
        guard let token = KnownToken.known(String(asset.namespace), reference, on: chain.id) else { return nil }
        (symbol, decimals) = (token.symbol, token.decimals)
    }

    /// Returns a chain's own coin; nil where no table has it.
    ///
    /// - Parameter chain: CAIP-2.
    package static func coin(of chain: String) -> AssetID? {
        Chain.known(chain)?.coin.flatMap { try? AssetID("\(chain)/slip44:\($0.number)") }
    }
}
