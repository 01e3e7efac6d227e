import PaymentCore

/// A bare address of Litecoin, Dogecoin, Dash, Tron, Tezos, or a transparent one of Zcash. Sources: the version bytes
/// in the chains' own `chainparams`, and Tezos' `base58.ml`.
struct BareCoinAddress: PaymentStandard {
    static let id = "litecoin-address"
    /// One for each chain.
    static let ids = CoinChain.all.map { "\($0.name)-address" }
    static let specification = "base58check with the chains' version bytes; BIP-173 for ltc1"
    static let patterns: [StandardPattern] =
        CoinChain.all.flatMap { chain in
            chain.shapes.map { .bare(BareShape($0.prefix, lengths: $0.lengths, .base58)) }
                + chain.segwit.map {
                    .bare(BareShape($0.prefix, ignoresCase: true, lengths: 14...100, .alphanumeric))
                }
        }

    /// The chain's place in ``CoinChain/all``.
    private let index: Int
    private let address: CoinAddress

    init(_ source: inout PaymentText) throws(StandardDefect) {
        let part = source.all().trimmed
        if let index = CoinChain.all.firstIndex(where: { $0.segwitNetwork(of: part) != nil }) {
            self.index = index
            address = try CoinAddress(part, of: CoinChain.all[index], "address")
            return
        }
        // In base58, only the checksum shows that it is an address at all.
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

    /// The standard of the address's chain.
    var standard: String { "\(chain)-address" }

    var fields: InstructionFields {
        [
            "chain": .string(chain), "network": .string(address.network), "type": .string(address.type),
            "hash": .string(Hex.encode(address.hash)),
        ]
    }

    var instruction: PaymentInstruction {
        var instruction = bareInstruction
        instruction.payee = .init(account: address.text, check: .checksum)
        instruction.network = address.network == "mainnet" ? coin.coin.chain : "\(chain)-\(address.network)"
        if address.network != "mainnet" { instruction.warnings.append(.testNetwork) }
        return instruction
    }
}
