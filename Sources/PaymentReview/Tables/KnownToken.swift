package import PaymentCore
import PaymentCrypto

/// A token whose name and decimals are facts, not the service's claim.
struct KnownToken: Sendable {
    /// The name that is shown.
    let symbol: String
    /// Every name that a service may use for it.
    let symbols: [String]
    let decimals: UInt8
    /// The name and version in the domain of the token's own typed data, if they are certain.
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

    /// Returns a chain's own coin; nil if no table has it.
    ///
    /// - Parameter chain: CAIP-2.
    package static func coin(of chain: String) -> AssetID? {
        Chain.known(chain)?.coin.flatMap { try? AssetID("\(chain)/slip44:\($0.number)") }
    }
}

// MARK: - Rows

/// The known facts about some tokens of EVM chains. Sources, all of 2026: the issuers' own contracts and lists (Circle,
/// Paxos, Agora), CoW Protocol's probes of permits, Uniswap's default list, WalletConnect's coverage page, recorded
/// payments.
enum EVMTokenRows {
    static let all = usdCoins + tethers + otherCurrencies + wrappedCoins

    /// Circle's dollar, and the bridged forms of it.
    private static let usdCoins: [TokenRow] = [
        TokenRow("USDC", [1], "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48", 6, domain: ("USD Coin", "2")),
        TokenRow("USDC", [10], "0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85", 6, domain: ("USD Coin", "2")),
        TokenRow("USDC", [137], "0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359", 6, domain: ("USD Coin", "2")),
        TokenRow("USDC", [8453], "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", 6, domain: ("USD Coin", "2")),
        TokenRow("USDC", [42161], "0xaf88d065e77c8cC2239327C5EDb3A432268e5831", 6, domain: ("USD Coin", "2")),
        TokenRow("USDC", [43114], "0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E", 6, domain: ("USD Coin", "2")),
        TokenRow("USDC", [42220], "0xcebA9300f2b948710d2653dD7B07f33A8B32118C", 6, domain: ("USDC", "2")),
        TokenRow("USDC", [143], "0x754704Bc059F8C67012fEd69BC8A327a5aafb603", 6),
        TokenRow("USDC", [59144], "0x176211869cA2b568f2A7D4EE941E073a821EE1ff", 6, domain: ("USDC", "2")),
        TokenRow("USDC", [324], "0x1d17CBcF0D6D143135aE902365D2E5e2A16538D4", 6),
        TokenRow("USDC", [130], "0x078D782b760474a361dDA0AF3839290b0EF57AD6", 6),
        TokenRow("USDC", [57073], "0x2D270e6886d130D724215A266106e6832161EAEd", 6, domain: ("USDC", "2")),
        TokenRow("USDC", [56], "0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d", 18),
        TokenRow("USDC.e USDC", [137], "0x2791Bca1f2de4661ED88A30C99A7a9449Aa84174", 6),
        TokenRow(
            "USDC.e USDC", [42161], "0xFF970A61A04b1cA14834A43f5dE4533eBDDB5CC8", 6, domain: ("USD Coin (Arb1)", "1")),
        TokenRow("USDC.e USDC", [10], "0x7F5c764cBc14f9669B88837ca1490cCa17c31607", 6),
        TokenRow("USDC.e USDC", [43114], "0xA7D7079b0FEaD91F3e65f86E8915Cb59c1a4C664", 6),
        TokenRow("USDbC USDC.e USDC", [8453], "0xd9aAEc86B65D86f6A7B5B1b0c42FFA531710b6CA", 6),
        TokenRow(
            "USDC.e USDC", [100], "0x2a22f9c3b484c3629090FeED35F17Ff8F88f76F0", 6,
            domain: ("Bridged USDC (Gnosis)", "2")),
        TokenRow(
            "USDC.e USDC", [57073], "0xF1815bd50389c46847f0Bda824eC8da914045D14", 6,
            domain: ("Bridged USDC (Stargate)", "2")),
        TokenRow("USDC.e USDC", [1868], "0xbA9986D2381edf1DA03B0B9c1f8b00dc4AacC369", 6),
        TokenRow("USDC.e USDC", [480], "0x79A02482A880bCE3F13e09Da970dC34db4CD24d1", 6),
        TokenRow("USDC", [100], "0xDDAfbb505ad214D7b80b1f830fcCc89B60fb7A83", 6, domain: ("USD//C on xDai", "1")),
    ]

    /// Tether's dollar, and the present forms of its bridged versions.
    private static let tethers: [TokenRow] = [
        TokenRow("USDT", [1], "0xdAC17F958D2ee523a2206206994597C13D831ec7", 6),
        TokenRow("USDT BSC-USD", [56], "0x55d398326f99059fF775485246999027B3197955", 18),
        TokenRow("USDT USDT0 USD₮0", [137], "0xc2132D05D31c914a87C6611C10748AEb04B58e8F", 6),
        TokenRow("USDT USDT0 USD₮0", [42161], "0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9", 6),
        TokenRow("USDT0 USD₮0 USDT", [10], "0x01bFF41798a0BcF287b996046Ca68b395DbC1071", 6),
        TokenRow("USDT0 USD₮0 USDT", [130], "0x9151434b16b9763660705744891fA906F660EcC5", 6),
        TokenRow("USDT0 USD₮0 USDT", [143], "0xe7cd86e13AC4309349F30B3435a9d337750fC82D", 6),
        TokenRow("USDT0 USD₮0 USDT", [14], "0xe7cd86e13AC4309349F30B3435a9d337750fC82D", 6, domain: ("USD₮0", "1")),
        TokenRow("USDT0 USD₮0 USDT", [196], "0x779Ded0c9e1022225f8E0630b35a9b54bE713736", 6),
        TokenRow("USDT0 USD₮0 USDT", [988], "0x779Ded0c9e1022225f8E0630b35a9b54bE713736", 6, domain: ("USDT0", "1")),
        TokenRow("USDT0 USD₮0 USDT", [9745], "0xB8CE59FC3717ada4C02eaDF9682A9e934F625ebb", 6, domain: ("USDT0", "1")),
        TokenRow("USDT0 USD₮0 USDT", [57073], "0x0200C29006150606B650577BBE7B6248F58470c1", 6, domain: ("USD₮0", "1")),
        TokenRow("USDT", [10], "0x94b008aA00579c1307B0EF2c499aD98a8ce58e58", 6),
        TokenRow("USDT", [8453], "0xfde4C96c8593536E31F229EA8f37b2ADa2699bb2", 6),
        TokenRow("USDT", [43114], "0x9702230A8Ea53601f5cD2dc00fDBc13d4dF4A8c7", 6, domain: ("TetherToken", "1")),
        TokenRow("USDT", [42220], "0x48065fbBE25f71C9282ddf5e1cD6D6A887483D5e", 6, domain: ("Tether USD", "1")),
        TokenRow("USDT", [59144], "0xA219439258ca9da29E9Cc4cE5596924745e12B93", 6, domain: ("Tether USD", "1")),
        TokenRow("USDT", [100], "0x4ECaBa5870353805a9F068101A40E0f32ed605C6", 6, domain: ("Tether USD on xDai", "1")),
    ]

    /// Other tokens that stand for a currency. Names of domains only if the sources agree.
    private static let otherCurrencies: [TokenRow] = [
        TokenRow("EURC", [1], "0x1aBaEA1f7C830bD89Acc67eC4af516284b1bC33c", 6, domain: ("Euro Coin", "2")),
        TokenRow("EURC", [8453], "0x60a3E35Cc302bFA44Cb288Bc5a4F316Fdb1adb42", 6, domain: ("EURC", "2")),
        TokenRow("EURC", [43114], "0xC891EB4cbdEFf6e073e859e987815Ed1505c2ACD", 6, domain: ("Euro Coin", "2")),
        TokenRow("PYUSD", [1], "0x6c3ea9036406852006290770BEdFcAbA0e23A0e8", 6, domain: ("PayPal USD", "1")),
        TokenRow("PYUSD", [42161], "0x46850aD61C2B7d64d08c9C754F45254596696984", 6, domain: ("PayPal USD", "1")),
        TokenRow("PYUSD", [42161], "0x327006c8712FE0AbdbbD55B7999DB39b0967342E", 6, domain: ("PayPal USD", "1")),
        TokenRow("PYUSD", [57073], "0x142cdc44890978B506e745bB3Bd11607B7f7faEf", 6, domain: ("PayPal USD", "1")),
        TokenRow("PYUSD", [137], "0x99aF3EeA856556646C98c8B9b2548Fe815240750", 6),
        TokenRow("USDG", [1, 57073], "0xe343167631d89B6Ffc58B88d6b7fB0228795491D", 6, domain: ("Global Dollar", "1")),
        TokenRow("USDG", [196], "0x4ae46a509F6b1D9056937BA4500cb143933D2dc8", 6, domain: ("Global Dollar", "1")),
        TokenRow(
            "AUSD", [1, 56, 137, 143, 8453, 42161, 43114], "0x00000000eFE302BEAA2b3e6e1b18d08D69a9012a", 6,
            domain: ("Agora Dollar", "1")),
        TokenRow("EURAU", [1, 10, 137, 8453, 42161], "0x4933A85b5b5466Fbaf179F72D3DE273c287EC2c2", 6),
        TokenRow("EURe", [1], "0x39b8B6385416f4cA36a20319F70D28621895279D", 18, domain: ("Monerium EURe", "1")),
        TokenRow("EURe", [100], "0x420CA0f9B9b604cE0fd9C18EF134C705e5Fa3430", 18, domain: ("Monerium EURe", "1")),
        TokenRow("EURe", [137], "0xE0aEa583266584DafBB3f9C3211d5588c73fEa8d", 18, domain: ("Monerium EURe", "1")),
        TokenRow("EURe", [8453], "0xbf6e2966A9C3D99C9E4D069E04f7Bdb9C8aa762C", 18, domain: ("Monerium EURe", "1")),
        TokenRow("EURe", [42161], "0x0c06cCF38114ddfc35e07427B9424adcca9F44F8", 18, domain: ("Monerium EURe", "1")),
        TokenRow("EURe", [59144], "0x3ff47c5Bf409C86533FE1f4907524d304062428D", 18, domain: ("Monerium EURe", "1")),
        TokenRow("EURe", [100], "0xcB444e90D8198415266c6a2724b7900fb12FC56E", 18),
        TokenRow("EURe", [137], "0x18ec0A6E18E5bc3784fDd3a3634b31245ab704F6", 18),
        TokenRow("DAI", [1], "0x6B175474E89094C44Da98b954EedeAC495271d0F", 18, domain: ("Dai Stablecoin", "1")),
        TokenRow(
            "DAI", [10, 42161], "0xDA10009cBd5D07dd0CeCc66161FC93D7c9000da1", 18, domain: ("Dai Stablecoin", "2")),
        TokenRow("DAI", [137], "0x8f3Cf7ad23Cd3CaDbD9735AFf958023239c6A063", 18),
        TokenRow("DAI", [8453], "0x50c5725949A6F0c72E6C4a641F24049A917DB0Cb", 18),
        TokenRow("DAI", [56], "0x1AF3F329e8BE154074D8769D1FFa4eE058B1DBc3", 18),
        TokenRow("USDS", [1], "0xdC035D45d973E3EC169d2276DDab16f1e407384F", 18, domain: ("USDS Stablecoin", "1")),
        TokenRow("USDS", [8453], "0x820C137fa70C8691f0e44Dc420a5e53c168921Dc", 18, domain: ("USDS Stablecoin", "1")),
        TokenRow("USDS", [42161], "0x6491c05A82219b8D1479057361ff1654749b876b", 18, domain: ("USDS Stablecoin", "1")),
        TokenRow("USDe", [1], "0x4c9EDD5852cd905f086C759E8383e09bff1E68B3", 18, domain: ("USDe", "1")),
        TokenRow(
            "USDe", [56, 8453, 42161, 43114, 59144, 9745], "0x5d3a1Ff2b6BAb83b63cd9AD0787074081a52ef34", 18,
            domain: ("USDe", "1")),
        TokenRow(
            "FDUSD", [1, 56], "0xc5f0f7b66764F6ec8C8Dff7BA683102295E16409", 18, domain: ("First Digital USD", "1")),
        TokenRow(
            "USD1", [1, 56], "0x8d0D000Ee44948FC98c9B98A4FA4921476f08B0d", 18,
            domain: ("World Liberty Financial USD", "1")),
        TokenRow("RLUSD", [1], "0x8292Bb45bf1Ee4d140127049757C2E0fF06317eD", 18),
        TokenRow("USDP", [1], "0x8E870D67F660D95d5be530380D0eC0bd388289E1", 18),
        TokenRow("TUSD", [1], "0x0000000000085d4780B73119b644AE5ecd22b376", 18),
        TokenRow("GHO", [1], "0x40D16FC0246aD3160Ccc09B8D0D3A2cD28aE6C2f", 18, domain: ("Gho Token", "1")),
        TokenRow("GHO", [8453], "0x6Bb7a212910682DCFdbd5BCBb3e28FB4E8da10Ee", 18, domain: ("Gho Token", "1")),
        TokenRow("GHO", [42161], "0x7dfF72693f6A4149b17e7C6314655f6A9F7c8B33", 18, domain: ("Gho Token", "1")),
        TokenRow("USDM", [4326], "0xFAfDdbb3FC7688494971a79cc65DCa3EF82079E7", 18, domain: ("MegaUSD", "1")),
    ]

    /// Coins as tokens.
    private static let wrappedCoins: [TokenRow] = [
        TokenRow(
            "cbBTC", [1, 8453, 42161], "0xcbB7C0000aB88B473b1f5aFd9ef808440eed33Bf", 8,
            domain: ("Coinbase Wrapped BTC", "2")),
        TokenRow("WETH", [1], "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2", 18),
        TokenRow("WETH", [10, 130, 480, 1868, 8453, 57073], "0x4200000000000000000000000000000000000006", 18),
        TokenRow("WETH", [42161], "0x82aF49447D8a07e3bd95BD0d56f35241523fBab1", 18, domain: ("Wrapped Ether", "1")),
        TokenRow("WETH", [59144], "0xe5D7C2a44FfDDf6b295A15c148167daaAf5Cf34f", 18),
        TokenRow("WETH", [324], "0x5AEa5775959fBC2557Cc8789bC1bf90A239D9a91", 18),
        TokenRow("WETH", [534_352], "0x5300000000000000000000000000000000000004", 18),
        TokenRow("WETH", [137], "0x7ceB23fD6bC0adD59E62ac25578270cFf1b9f619", 18),
        TokenRow("WPOL", [137], "0x0d500B1d8E8eF31E21C99d1Db9A6444d3ADf1270", 18),
        TokenRow("WBNB", [56], "0xbb4CdB9CBd36B01bD1cBaEBF2De08d9173bc095c", 18),
        TokenRow("WAVAX", [43114], "0xB31f66AA3C1e785363F0875A1B74E27b85FD66c7", 18),
        TokenRow("WXDAI", [100], "0xe91D153E0b41518A2Ce8Dd3D7944Fa863463a97d", 18),
        TokenRow("WMON", [143], "0x3bd359C1119dA7Da1D913D1C4D2B7c461115433A", 18),
        TokenRow("WBERA", [80094], "0x6969696969696969696969696969696969696969", 18),
        TokenRow("CELO", [42220], "0x471EcE3750Da237f93B8E339c536989b8978a438", 18),
    ]
}
