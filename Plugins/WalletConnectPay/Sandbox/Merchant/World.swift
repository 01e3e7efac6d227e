public import PaymentCore

/// The service's two environments: they share no data, and only the API key selects one.
enum World: String, Sendable, Hashable, CaseIterable {
    case test, live
}

extension WalletConnectPaySandbox {
    /// An API key for the test environment. It need not be kept secret: it opens nothing else.
    public static let testKey = Redacted("wcp_test_sandbox")
    /// An API key for the live environment, which has no real money here. It need not be kept secret: it opens nothing
    /// else.
    public static let liveKey = Redacted("wcp_sandbox")
    /// The initial merchant, in both environments.
    public static let merchantID = "mrch_SandboxMerchant01"
    /// The default secret of webhooks. It need not be kept secret.
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

    /// Returns the merchant as answers state it.
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

/// A currency of prices, and its made-up rate here.
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

    /// Returns the US cents for a number of minor units.
    func cents(_ units: UInt128) -> UInt128 { units * rate / 100 }

    /// Returns the smallest number of minor units with the value of `cents`.
    func units(worth cents: UInt128) -> UInt128 { (cents * 100 + rate - 1) / rate }

    func amount(_ units: UInt128) -> JSONValue {
        [
            "unit": .string(unit), "value": .string(String(units)),
            "display": [
                "assetSymbol": .string(code), "assetName": .string(name), "decimals": .number(JSONNumber(decimals)),
            ],
        ]
    }

    /// Returns the amount without display data, as webhooks state it.
    func plainAmount(_ units: UInt128) -> JSONValue { ["unit": .string(unit), "value": .string(String(units))] }
}

/// The service's fees for a payment: a fixed part and a percentage.
struct Fees: Sendable {
    let pricing: Pricing
    let fixed: UInt128
    let percentage: UInt128

    /// Creates fees of 14 cents and 0.4 %.
    init(on units: UInt128, in pricing: Pricing) {
        self.pricing = pricing
        fixed = pricing.units(worth: 14)
        percentage = units * 4 / 1000
    }

    var total: UInt128 { fixed + percentage }
}
