public import PaymentCore

extension PaymentInstruction {
    /// The network's name for people, such as `Base` or `SEPA`; ``network`` itself where no table knows it.
    public var networkName: String? { network.map(Self.networkName) }

    /// Returns the name of `network`: chains by their CAIP-2 ids, bank networks, schemes and services.
    private static func networkName(_ network: String) -> String {
        if let name = networks[network] { return name }
        if network.hasPrefix("iban:") { return "bank transfer (\(network.dropFirst(5)))" }
        if network.hasPrefix("eip155:") { return "Ethereum-compatible chain \(network.dropFirst(7))" }
        if network.hasPrefix("emv:") {
            let tag = String(network.dropFirst(4))
            return Int(tag).flatMap { cards[$0] }.map { "\($0) (card scheme)" }
                ?? "a payment scheme that this program does not know (number \(tag))"
        }
        return network
    }

    /// The card schemes by the tags that EMVCo gives them in merchants' codes.
    private static let cards = [
        2: "Visa", 3: "Visa", 4: "Mastercard", 5: "Mastercard", 9: "Discover", 10: "Discover", 11: "American Express",
        12: "American Express", 13: "JCB", 14: "JCB", 15: "UnionPay", 16: "UnionPay",
    ]

    private static let networks: [String: String] = [
        // Chains.
        "bitcoin": "Bitcoin", "lightning": "Lightning",
        "bip122:000000000019d6689c085ae165831e93": "Bitcoin",
        "bip122:000000000933ea01ad0ee984209779ba": "Bitcoin testnet",
        "bip122:00000008819873e925422c1ff0f99f7c": "Bitcoin signet",
        "bitcoin-testnet": "Bitcoin testnet", "bitcoin-regtest": "Bitcoin regtest",
        "bip122:000000000000000000651ef99cb9fcbe": "Bitcoin Cash", "bchtest": "Bitcoin Cash testnet",
        "bchreg": "Bitcoin Cash regtest",
        "bip122:12a765e31ffd4059bada1e25190f6e98": "Litecoin",
        "bip122:1a91e3dace36e2be3bf030a65679fe82": "Dogecoin",
        "bip122:00000ffd590b1485b3caadc19b22e637": "Dash",
        "bip122:00040fe8ec8471911baa1db1266ea15d": "Zcash",
        "bip122:1466275836220db2944ca059a3a10ef6": "Liquid", "liquid-testnet": "Liquid testnet",
        "eip155": "Ethereum or a compatible chain (not stated)", "eip155:1": "Ethereum",
        "eip155:10": "Optimism",
        "eip155:56": "BNB Smart Chain", "eip155:100": "Gnosis", "eip155:137": "Polygon", "eip155:8453": "Base",
        "eip155:42161": "Arbitrum", "eip155:43114": "Avalanche", "eip155:11155111": "Sepolia (test network)",
        "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp": "Solana", "stellar:pubnet": "Stellar",
        "stellar": "another Stellar network", "xrpl:0": "XRP Ledger", "xrpl:1": "XRP Ledger testnet",
        "monero": "Monero", "nano": "Nano", "cip34:1-764824073": "Cardano", "cardano-testnet": "Cardano testnet",
        "zcash-testnet": "Zcash testnet", "tvm:-239": "TON", "tron:0x2b6653dc": "Tron",
        "tezos:NetXdQprcVkpaWU": "Tezos", "algorand:wGHE2Pwdvd7S12BL5FaOP20EGYesN73k": "Algorand",
        "sui:mainnet": "Sui", "cashu": "Cashu", "interledger": "Interledger", "ilp": "Interledger", "pubky": "Pubky",
        // Bank networks.
        "sepa": "SEPA", "sepa-instant": "SEPA Instant", "six-interbank-clearing": "Swiss bank transfer",
        "bankgiro": "Bankgiro", "plusgiro": "PlusGiro", "de-bank-account": "German bank transfer",
        "ru-bank-account": "Russian bank transfer", "nbs-ips": "IPS Serbia", "pagopa": "pagoPA",
        "iban": "bank transfer",
        "ach": "ACH", "bic": "bank (BIC)", "upi": "UPI", "swish": "Swish", "interac": "Interac",
        // Schemes of merchants' codes.
        "pix": "Pix", "paynow": "PayNow", "promptpay": "PromptPay", "vietqr": "VietQR", "vnpayqr": "VNPAY QR",
        "qris": "QRIS", "duitnow": "DuitNow", "fps-hk": "FPS Hong Kong", "qrph": "QR Ph", "khqr": "KHQR",
        "bharatqr-rupay": "Bharat QR (RuPay)",
        // Services.
        "paypal": "PayPal", "venmo": "Venmo", "cash-app": "Cash App", "revolut": "Revolut", "wise": "Wise",
        "stripe": "Stripe", "alipay": "Alipay", "wechat-pay": "WeChat Pay", "unionpay": "UnionPay", "vipps": "Vipps",
        "mobilepay": "MobilePay", "mercado-pago": "Mercado Pago", "twint": "TWINT", "ideal": "iDEAL",
        "square": "Square", "payconiq": "Payconiq", "sbp": "SBP (faster payments)",
        "google-wallet": "Google Wallet", "apple-wallet": "Apple Wallet",
    ]
}
