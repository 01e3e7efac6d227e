import PaymentCore
import PaymentCrypto

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
