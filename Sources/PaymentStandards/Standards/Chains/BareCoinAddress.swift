public import PaymentCore

/// A bare address of Litecoin, Dogecoin, Dash, Tron, Tezos, or a transparent one of Zcash. Sources: the version bytes in
/// the chains' own `chainparams`, and Tezos' `base58.ml`.
public struct BareCoinAddress: PaymentStandard {
    /// `litecoin-address`.
    public static let id = "litecoin-address"
    /// One for each chain.
    public static let ids = CoinChain.all.map { "\($0.name)-address" }
    /// What it follows.
    public static let specification = "base58check with the chains' version bytes; BIP-173 for ltc1"
    /// How its texts begin.
    public static let patterns: [StandardPattern] =
        CoinChain.all.flatMap { chain in
            chain.shapes.map { .bare(BareShape($0.prefix, lengths: $0.lengths, .base58)) }
                + chain.segwit.keys.sorted().map {
                    .bare(BareShape("\($0)1", ignoresCase: true, lengths: 14...100, .alphanumeric))
                }
        }

    private let chain: String
    private let address: CoinAddress

    /// Creates a value by reading `link`.
    ///
    /// - Throws: ``StandardDefect``; of kind `foreign` when the text was not meant to be of this standard at all.
    public init(_ link: PaymentLink) throws(StandardDefect) {
        let part = TextPart(link).trimmed
        let lower = part.lowercased
        if let named = CoinChain.all.first(where: { $0.segwit.keys.contains { lower.hasPrefix("\($0)1") } }) {
            address = try CoinAddress(part, of: named, "address")
            chain = named.name
            return
        }
        // Of base58 nothing but the checksum says that it is an address at all.
        guard let bytes = Base58Check.decode(part),
            let found = CoinChain.all.first(where: { $0.version(of: bytes) != nil })
        else { throw part.defect(.foreign, "address", "is of none of these chains") }
        address = try CoinAddress(part, of: found, "address")
        chain = found.name
    }

    private var coin: CoinChain { CoinChain.all.first { $0.name == chain } ?? .litecoin }

    /// Which chain's address it is.
    public var standard: String { "\(chain)-address" }

    /// The fields of the chain's addresses.
    public var fields: InstructionFields {
        [
            "chain": .string(chain), "network": .string(address.network), "type": .string(address.type),
            "hash": .string(Hex.encode(address.hash)),
        ]
    }

    /// Pays the address any amount.
    public var instruction: PaymentInstruction {
        var instruction = bareInstruction
        instruction.payee = .init(account: address.text, check: .checksum)
        instruction.network = address.network == "mainnet" ? coin.coin.chain : "\(chain)-\(address.network)"
        if address.network != "mainnet" { instruction.warnings.append(.testNetwork) }
        return instruction
    }
}
