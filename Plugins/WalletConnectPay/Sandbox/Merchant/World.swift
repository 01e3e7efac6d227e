public import PaymentCore

/// The service's two worlds: neither sees what is in the other, and only the API key says which one is meant.
enum World: String, Sendable, Hashable, CaseIterable {
    case test, live
}

extension WalletConnectPaySandbox {
    /// An API key that opens the world of tests. Not a secret: it opens nothing else.
    public static let testKey = Redacted("wcp_test_sandbox")
    /// An API key that opens the world of real money, which here is none. Not a secret: it opens nothing else.
    public static let liveKey = Redacted("wcp_sandbox")
    /// The merchant that is there from the beginning, in both worlds.
    public static let merchantID = "mrch_SandboxMerchant01"
    /// The secret of webhooks unless told otherwise. Not a secret.
    public static let webhookSecret = Redacted("whsec_c2FuZGJveC13ZWJob29rLXNlY3JldA==")
}

/// A merchant of the account.
struct MerchantRecord: Sendable {
    struct Settlement: Sendable {
        let id: String
        let asset: String
        var destination: String

        var body: JSONValue {
            ["id": .string(id), "asset": .string(asset), "destination": .string(destination)]
        }
    }

    let id: String
    var name: String
    var email: String?
    var iconURL: String?
    let createdAt: String
    var isDeleted = false
    var settlements: [Settlement] = []

    /// As answers tell it.
    func body(withIcon: Bool = true) -> JSONValue {
        var body: JSONValue = [
            "id": .string(id), "name": .string(name), "email": email.map { .string($0) } ?? .null, "status": "active",
            "createdAt": .string(createdAt),
        ]
        if withIcon { body["iconUrl"] = iconURL.map { .string($0) } ?? .null }
        return body
    }

    var settlementsBody: JSONValue { ["fiat": [], "crypto": .array(settlements.map(\.body))] }
}

/// What a merchant's price may be in, and what it is worth here: made-up rates.
struct Pricing: Sendable, Hashable {
    let code: String
    let name: String
    let decimals: Int
    /// US cents for one hundred minor units.
    let rate: UInt128

    static let dollars = Pricing(code: "USD", name: "US Dollar", decimals: 2, rate: 100)
    private static let all = [
        dollars, Pricing(code: "EUR", name: "Euro", decimals: 2, rate: 110),
        Pricing(code: "GBP", name: "Pound Sterling", decimals: 2, rate: 130),
        Pricing(code: "JPY", name: "Yen", decimals: 0, rate: 65),
    ]

    init?(unit: String?) {
        guard let pricing = Self.all.first(where: { $0.unit == unit }) else { return nil }
        self = pricing
    }

    private init(code: String, name: String, decimals: Int, rate: UInt128) {
        self.code = code
        self.name = name
        self.decimals = decimals
        self.rate = rate
    }

    var unit: String { "iso4217/\(code)" }

    /// US cents for so many minor units.
    func cents(_ units: UInt128) -> UInt128 { units * rate / 100 }

    /// The fewest minor units that are worth so many cents.
    func units(worth cents: UInt128) -> UInt128 { (cents * 100 + rate - 1) / rate }

    func amount(_ units: UInt128) -> JSONValue {
        [
            "unit": .string(unit), "value": .string(String(units)),
            "display": [
                "assetSymbol": .string(code), "assetName": .string(name), "decimals": .number(JSONNumber(decimals)),
            ],
        ]
    }

    /// Without how it looks, as webhooks tell it.
    func plainAmount(_ units: UInt128) -> JSONValue { ["unit": .string(unit), "value": .string(String(units))] }
}

/// What the service keeps of a payment: a fixed part and a percentage.
struct Fees: Sendable {
    let pricing: Pricing
    let fixed: UInt128
    let percentage: UInt128

    /// 14 cents and 0.4 %.
    init(on units: UInt128, in pricing: Pricing) {
        self.pricing = pricing
        fixed = pricing.units(worth: 14)
        percentage = units * 4 / 1000
    }

    var total: UInt128 { fixed + percentage }
}
