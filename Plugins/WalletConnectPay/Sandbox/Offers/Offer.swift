import PaymentCore
import PaymentWallet

/// One offered option: the data for the client, and for checking the client's results.
struct Offer: Sendable {
    let id: String
    /// CAIP-10, spelt as in the client's request.
    let account: String
    let asset: Asset
    /// Minor units of the asset.
    let value: UInt128
    /// Unix seconds; nil for prices that do not change.
    let expiresAt: Int64?
    /// The wallet calls, in order. Never empty.
    let calls: [WalletCall]
    /// True if the account's owner has to submit data first.
    let asksForData: Bool

    /// Returns the option for the client; `collectData` is the data that it has to submit, or null.
    func body(collectData: JSONValue) -> JSONValue {
        let actions: [JSONValue] =
            switch asset.delivery {
            case .ready: ready
            case .encoded: calls.map { ["type": "build", "data": ["data": .string(Hex.encode($0.body.serialized()))]] }
            case .onRequest: [["type": "build", "data": ["data": ""]]]
            case .unfamiliar: unfamiliar
            }
        return [
            "id": .string(id), "account": .string(account), "amount": amount, "etaS": 5,
            "expiresAt": expiresAt.map { .number(JSONNumber($0)) } ?? .null, "actions": .array(actions),
            "collectData": collectData,
        ]
    }

    /// The amount, as every answer states it.
    var amount: JSONValue {
        let images = "https://api.walletconnect.com/assets/v1/image"
        return [
            "unit": .string(asset.unit), "value": .string(String(value)),
            "display": [
                "assetSymbol": .string(asset.symbol), "assetName": .string(asset.name),
                "decimals": .number(JSONNumber(asset.decimals)), "networkName": .string(asset.network),
                "iconUrl": "\(images)/token/\(asset.symbol)/md",
                "networkIconUrl": "\(images)/network/\(asset.chain)/md",
            ],
        ]
    }

    /// The answer of `fetch`.
    var fetched: JSONValue {
        if case .unfamiliar = asset.delivery { return ["actions": .array(unfamiliar)] }
        return ["actions": .array(ready)]
    }

    /// Returns true if `results`, one per call, prove that the account agreed.
    func accepts(_ results: [String]) -> Bool {
        guard results.count == calls.count, let account = try? AccountID(account) else { return false }
        return zip(calls, results).allSatisfy { $0.accepts($1, from: String(account.address)) }
    }

    private var ready: [JSONValue] { calls.map { ["type": "walletRpc", "data": $0.body] } }
    private var unfamiliar: [JSONValue] { [["type": "showHologram", "data": ["scene": "merchant"]]] }
}

/// A factory of offers: prices, nonces and the wallet calls, in the service's own formats.
struct OfferFactory: Sendable {
    let plan: WalletConnectPaySandbox.Scenario.Plan
    let configuration: WalletConnectPaySandbox.Configuration
    let random: any RandomSource
    /// Unix seconds.
    let now: Int64

    /// Returns one offer for each account on each asset's chain, in the order of the assets.
    func offers(for payment: PaymentRecord, accounts: [AccountID]) -> [Offer] {
        (configuration.offersUnlistedTokenOnly ? [.unlisted] : plan.assets).flatMap { asset in
            accounts.compactMap { account in
                account.chain.text == asset.chain ? offer(asset, account, payment) : nil
            }
        }
    }

    private func offer(_ asset: Asset, _ account: AccountID, _ payment: PaymentRecord) -> Offer? {
        // At most 2^64 cents and 18 decimals: far below 2^128.
        let unit = Self.power(asset.decimals)
        let value = asset.price.map { payment.cents * unit / $0 } ?? payment.cents * (unit / 100)
        let calls = EVMCalls(
            asset: asset, address: String(account.address).lowercased(), value: value,
            // Signatures are valid for five minutes longer than the payment. Payments of the real service last minutes.
            // For a payment that lasts days here, the signatures expire earlier.
            deadline: min(payment.expiresAt, now + Self.longestSignature) + 300, random: random)
        let made: [WalletCall?] =
            switch asset.mechanism {
            case .permit2(approving: true): [calls.approval, calls.permit]
            case .permit2(approving: false): [calls.permit]
            case .authorization(let name, let version): [calls.authorization(name, version)]
            case .transaction: [calls.transaction]
            case .solana: [ForeignCalls.solana(asset, payer: String(account.address), value: value, random)]
            case .tron: [ForeignCalls.tron(asset)]
            }
        let complete = made.compactMap { $0 }
        // No call can be made for an address of another chain, so no offer is made.
        guard complete.count == made.count else { return nil }
        var expiresAt: Int64?
        if plan.hasShortQuotes {
            expiresAt = now + configuration.shortQuoteLifetime
        } else if asset.price != nil {
            expiresAt = now + configuration.quoteLifetime
        }
        return Offer(
            id: random.uuid(), account: account.text, asset: asset, value: value, expiresAt: expiresAt,
            calls: complete, asksForData: asksForData(asset))
    }

    private func asksForData(_ asset: Asset) -> Bool {
        switch plan.data {
        case .none: false
        case .everybody: true
        case .ethereum: asset.chain == "eip155:1"
        }
    }

    /// The maximum lifetime of a signature before the extra minutes, in seconds.
    private static let longestSignature: Int64 = 3600

    private static func power(_ exponent: Int) -> UInt128 {
        (0..<exponent).reduce(1) { power, _ in power * 10 }
    }
}

// MARK: - Assets

/// An asset that the sandbox accepts, on one chain.
struct Asset: Sendable {
    /// The mechanism that takes the money.
    enum Mechanism: Sendable {
        /// A signed permit for the Permit2 contract, after a transaction that approves the contract if `approving`.
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

    /// The time when the client receives the wallet calls.
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
