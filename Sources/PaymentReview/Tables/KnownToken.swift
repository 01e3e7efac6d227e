import PaymentCore
import PaymentCrypto

/// A token whose name and decimals are facts, not the service's claim.
struct KnownToken: Sendable {
    /// The name that is shown.
    let symbol: String
    /// Every name that a service may use for it.
    let symbols: [String]
    let decimals: UInt8
    /// The name and version in the domain of the token's own typed data, where they are certain.
    let domain: (name: String, version: String)?
    /// The program that keeps a Solana token.
    var program: String?

    /// Returns the token at `reference` of the kind `namespace` on `chain`; nil when it is unknown. Addresses of EVM
    /// chains are checksummed.
    static func known(_ namespace: String, _ reference: String, on chain: String) -> KnownToken? {
        switch namespace {
        case "erc20": evm["\(chain):\(reference)"]
        case "token": chain == Chain.solana ? solana[reference] : nil
        case "trc20": chain == Chain.tron ? tron[reference] : nil
        default: nil
        }
    }

    /// Returns true if `symbol` is the name of a token or coin that is known on `chain`, but for capitals, marks and
    /// look-alike letters: another token under that name is an imitation.
    static func isTaken(_ symbol: String, on chain: String) -> Bool {
        let forms = forms(symbol)
        let coin = Chain.known(chain)?.coin.map { Self.forms($0.symbol) } ?? []
        return !forms.isDisjoint(with: names[chain] ?? []) || !forms.isDisjoint(with: coin)
    }

    private static let lookalikes: [Character: Character] = [
        "0": "o", "1": "i", "l": "i", "|": "i", "!": "i", "5": "s", "$": "s", "₮": "t",
    ]

    /// Returns the forms that a name may be taken for: without its marks, and with marks and letters read as their
    /// look-alikes.
    private static func forms(_ symbol: String) -> Set<String> {
        let lower = symbol.lowercased()
        let read = String(lower.map { lookalikes[$0] ?? $0 }).replacing("vv", with: "w").replacing("rn", with: "m")
        return Set([lower, read].map { $0.filter { $0.isLetter || $0.isNumber } })
    }

    /// By chain and checksummed address.
    private static let evm: [String: KnownToken] = Dictionary(
        EVMTokenRows.all.flatMap { row in row.chains.map { ("eip155:\($0):\(row.address)", row.token) } },
        uniquingKeysWith: { first, _ in first })

    private static let tokenProgram = SolanaProgram.token.rawValue
    private static let token2022Program = SolanaProgram.token2022.rawValue

    /// Solana's tokens by mint: WalletConnect's coverage page, the issuers, and the program's source for WSOL.
    private static let solana: [String: KnownToken] = [
        "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v": spl("USDC", 6, tokenProgram),
        "Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB": spl("USDT", 6, tokenProgram),
        "HzwqbKZw8HxMN6bF2yFZNrht3c2iXXzpKcFu7uBEDKtr": spl("EURC", 6, tokenProgram),
        "2b1kV6DkPAnxd5ixfnxCpjxmKwqjjaYmCZfHsFu24GXo": spl("PYUSD", 6, token2022Program),
        "2u1tszSeqZ3qBWF3uNGPFc8TzMk2tdiwknnRMWGWjGWH": spl("USDG", 6, token2022Program),
        "So11111111111111111111111111111111111111112": spl("WSOL", 9, tokenProgram),
        "9pan9bMn5HatX4EJdBwg9VgCa7Uz5HL8N1m5D3NdXejP": spl("WSOL", 9, token2022Program),
    ]

    private static let tron: [String: KnownToken] = [
        "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t": KnownToken(
            symbol: "USDT", symbols: ["USDT"], decimals: 6, domain: nil)
    ]

    private static func spl(_ symbol: String, _ decimals: UInt8, _ program: String) -> KnownToken {
        KnownToken(symbol: symbol, symbols: [symbol], decimals: decimals, domain: nil, program: program)
    }

    private static let names: [String: Set<String>] = {
        var names: [String: Set<String>] = [
            Chain.solana: Set(solana.values.flatMap(\.symbols).flatMap(forms)),
            Chain.tron: Set(tron.values.flatMap(\.symbols).flatMap(forms)),
        ]
        for row in EVMTokenRows.all {
            for chain in row.chains {
                names["eip155:\(chain)", default: []].formUnion(row.token.symbols.flatMap(forms))
            }
        }
        return names
    }()
}

/// A row of the table: one address, on one chain or on several.
struct TokenRow: Sendable {
    let chains: [Int]
    let address: String
    let token: KnownToken

    /// - Parameter symbols: the names, divided by blanks; the first one is shown.
    init(
        _ symbols: String, _ chains: [Int], _ address: String, _ decimals: UInt8,
        domain: (name: String, version: String)? = nil
    ) {
        let symbols = symbols.split(separator: " ").map(String.init)
        self.chains = chains
        self.address = address
        token = KnownToken(symbol: symbols.first ?? "", symbols: symbols, decimals: decimals, domain: domain)
    }
}
