/// An asset that the sandbox accepts, on one chain.
struct Asset: Sendable {
    /// The way in which the money is taken.
    enum Mechanism: Sendable {
        /// A signed permit for the Permit2 contract, after a transaction that approves the contract where `approving`.
        case permit2(approving: Bool)
        /// A signed authorisation of the token itself (EIP-3009).
        case authorization(name: String, version: String)
        /// A transaction that the payer broadcasts.
        case transaction
        /// A Solana transaction that the payer signs and the service broadcasts.
        case solana
        /// A Tron transaction that the payer signs and the service broadcasts.
        case tron
    }

    /// The time at which the client receives the wallet calls.
    enum Delivery: Sendable {
        /// With the option.
        case ready
        /// With the option, but encoded: the client has to ask.
        case encoded
        /// At the client's request.
        case onRequest
        /// Never: the option names an action of a kind that the specification does not have.
        case unfamiliar
    }

    /// CAIP-2.
    let chain: String
    let network: String
    let symbol: String
    let name: String
    let decimals: Int
    /// The part of the CAIP-19 id behind the chain.
    let reference: String
    /// The price of one whole unit in cents, if it changes; nil for dollars.
    var price: UInt128?
    let mechanism: Mechanism
    /// The contract that wraps the coin as a token; the zero address if there is none.
    var wrapped = "0x0000000000000000000000000000000000000000"
    var delivery = Delivery.ready

    /// The unit in the notation of amounts.
    var unit: String { "caip19/\(chain)/\(reference)" }

    /// The token's contract or coin number.
    var token: String { reference.split(separator: ":").last.map(String.init) ?? "" }
}

extension Asset {
    /// The assets that an ordinary payment offers, in this order.
    static let usual = [usdCoin, tether, payPalDollar, ether]

    static let usdCoin = Asset(
        chain: "eip155:8453", network: "Base", symbol: "USDC", name: "USD Coin", decimals: 6,
        reference: "erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
        mechanism: .authorization(name: "USD Coin", version: "2"))
    /// A token that is in no table.
    static let unlisted = Asset(
        chain: "eip155:8453", network: "Base", symbol: "SHOP", name: "Shop Dollar", decimals: 6,
        reference: "erc20:0x5a0b00000000000000000000000000000000D011", mechanism: .permit2(approving: false))
    static let tether = Asset(
        chain: "eip155:1", network: "Ethereum", symbol: "USDT", name: "Tether USD", decimals: 6,
        reference: "erc20:0xdAC17F958D2ee523a2206206994597C13D831ec7", mechanism: .permit2(approving: false))
    static let tetherWithApproval = Asset(
        chain: "eip155:1", network: "Ethereum", symbol: "USDT", name: "Tether USD", decimals: 6,
        reference: "erc20:0xdAC17F958D2ee523a2206206994597C13D831ec7", mechanism: .permit2(approving: true))
    static let payPalDollar = Asset(
        chain: "eip155:1", network: "Ethereum", symbol: "PYUSD", name: "PayPal USD", decimals: 6,
        reference: "erc20:0x6c3ea9036406852006290770BEdFcAbA0e23A0e8",
        mechanism: .authorization(name: "PayPal USD", version: "1"), delivery: .encoded)
    static let ether = Asset(
        chain: "eip155:10", network: "Optimism", symbol: "ETH", name: "Ether", decimals: 18, reference: "slip44:60",
        price: 240_000, mechanism: .transaction, wrapped: "0x4200000000000000000000000000000000000006",
        delivery: .onRequest)
    /// ``ether``, whose call comes with the option.
    static let readyEther: Asset = {
        var asset = ether
        asset.delivery = .ready
        return asset
    }()
    static let unfamiliarAction = Asset(
        chain: "eip155:8453", network: "Base", symbol: "USDC", name: "USD Coin", decimals: 6,
        reference: "erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
        mechanism: .authorization(name: "USD Coin", version: "2"), delivery: .unfamiliar)
    static let solana = Asset(
        chain: "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp", network: "Solana", symbol: "SOL", name: "Solana",
        decimals: 9, reference: "slip44:501", price: 15_000, mechanism: .solana)
    static let tron = Asset(
        chain: "tron:0x2b6653dc", network: "Tron", symbol: "USDT", name: "Tether USD", decimals: 6,
        reference: "trc20:TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t", mechanism: .tron)
}
