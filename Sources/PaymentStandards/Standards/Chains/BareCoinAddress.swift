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
                + chain.segwit.map {
                    .bare(BareShape($0.prefix, ignoresCase: true, lengths: 14...100, .alphanumeric))
                }
        }

    /// The chain's place in ``CoinChain/all``.
    private let index: Int
    private let address: CoinAddress

    /// Creates a value by reading `link`.
    ///
    /// - Throws: ``StandardDefect``; of kind `foreign` when the text was not meant to be of this standard at all.
    public init(_ link: PaymentLink) throws(StandardDefect) {
        let part = TextPart(link).trimmed
        if let index = CoinChain.all.firstIndex(where: { $0.segwitNetwork(of: part) != nil }) {
            self.index = index
            address = try CoinAddress(part, of: CoinChain.all[index], "address")
            return
        }
        // Of base58 nothing but the checksum says that it is an address at all.
        if let bytes = Base58Check.decode(part) {
            for index in CoinChain.all.indices {
                guard let version = CoinChain.all[index].version(of: bytes) else { continue }
                self.index = index
                address = CoinAddress(part, version, bytes)
                return
            }
        }
        throw part.defect(.foreign, "address", "is of none of these chains")
    }

    private var coin: CoinChain { CoinChain.all[index] }
    private var chain: String { coin.name }

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
