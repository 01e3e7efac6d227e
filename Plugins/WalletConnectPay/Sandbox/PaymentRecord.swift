import PaymentCore
import SandboxSupport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A payment inside the sandbox.
struct PaymentRecord: Sendable {
    enum Status: String, Sendable {
        case requiresAction = "requires_action"
        case processing, succeeded, failed, expired, cancelled
        /// A raw value that the specification does not have.
        case unfamiliar = "held_for_review"

        var isFinal: Bool { self != .requiresAction && self != .processing }
    }

    /// The facts of a completed transfer.
    struct Transfer: Sendable {
        let transactionID: String
        let unit: String
        /// The account that paid (CAIP-10).
        let account: String
        /// The amount, as answers state it.
        let amount: JSONValue

        /// - Parameter payment: a test payment has no transaction, and its transaction id says so.
        init(_ offer: Offer, of payment: PaymentRecord, random: any RandomSource) {
            transactionID = payment.world == .test ? "test:\(payment.id)" : "0x" + random.hex(64)
            unit = offer.asset.unit
            account = offer.account
            amount = offer.amount
        }

        /// The amount without display data, as webhooks state it.
        var plainAmount: JSONValue { ["unit": amount["unit"] ?? nil, "value": amount["value"] ?? nil] }

        /// The `info` of a status.
        var info: JSONValue { ["txId": .string(transactionID), "optionAmount": amount] }
    }

    let id: String
    let referenceID: String
    /// The price, in the minor units of ``pricing``.
    let units: UInt128
    let pricing: Pricing
    let merchant: String
    let scenario: WalletConnectPaySandbox.Scenario
    /// Unix seconds.
    let expiresAt: Int64
    var world = World.live
    var merchantID = WalletConnectPaySandbox.merchantID
    /// The pages for buyers who return from the service.
    var returns: CheckoutPages?
    /// The answer of a dishonest gateway in place of the honest one.
    var tampered: WalletConnectPaySandbox.TamperedAnswer?
    /// The actions that it withholds until they are fetched, by the option's id.
    var heldBack: [String: JSONValue] = [:]

    var status = Status.requiresAction
    /// All offers ever made for the payment, by id.
    var offers: [String: Offer] = [:]
    /// The accounts whose owner's data is submitted. The data itself is not kept.
    var identified: Set<String> = []
    /// The accepted confirmation.
    var confirmation: (option: String, results: [String])?
    var transfer: Transfer?
    /// The number of status queries that the settlement still takes. `settlesAt` is its earliest end (Unix seconds).
    var pollsLeft = 0
    var settlesAt: Int64 = 0
    var failureCode: String?
    var cancelledReason: String?
    /// True after the merchant's refund mark. No answer shows it.
    var isRefunded = false
    /// The index of the payment in the sandbox.
    var number = 0
    /// The version, increased with every change of state.
    var version: Int64 = 0
    var createdAt = Date(timeIntervalSince1970: 0)
    var changedAt = Date(timeIntervalSince1970: 0)
    var processingAt: Date?
    /// The number of refused requests of each kind.
    var refusals: [GatewayVerb: Int] = [:]

    init(
        id: String, referenceID: String, units: UInt128, pricing: Pricing = .dollars, merchant: String,
        scenario: WalletConnectPaySandbox.Scenario, expiresAt: Int64
    ) {
        self.id = id
        self.referenceID = referenceID
        self.units = units
        self.pricing = pricing
        self.merchant = merchant
        self.scenario = scenario
        self.expiresAt = expiresAt
    }

    /// `info` of the options.
    var info: JSONValue {
        [
            "status": .string(status.rawValue), "expiresAt": .number(JSONNumber(expiresAt)), "buyer": nil,
            "merchant": ["name": .string(merchant), "iconUrl": nil],
            "amount": price,
        ]
    }

    /// The price, as every answer states it.
    var price: JSONValue { pricing.amount(units) }

    /// The price as an amount of money.
    var money: Money? { try? Money(minorUnits: units, currency: Currency(unit: pricing.unit)) }

    /// The price, as pages state it, such as `12.50 USD`.
    var priceText: String { money.map(NumberStyle.text) ?? "" }

    /// The price in US cents, at the sandbox's rates.
    var cents: UInt128 { pricing.cents(units) }

    /// Returns the answer of `confirm` and `status`. Only `status` includes a `failureCode`.
    func statusBody(pollInMs: Int64, withFailureCode: Bool) -> JSONValue {
        let pause = status == .processing ? 2 * pollInMs : pollInMs
        var body: JSONValue = [
            "status": .string(status.rawValue), "isFinal": .bool(status.isFinal),
            "pollInMs": status.isFinal ? nil : .number(JSONNumber(pause)),
            "info": status == .succeeded ? transfer?.info ?? nil : nil,
        ]
        if withFailureCode, let failureCode { body["failureCode"] = .string(failureCode) }
        return body
    }

    /// The offered accounts whose owners still have to submit their data.
    var accountsAskedForData: Set<String> {
        Set(offers.values.filter(\.asksForData).map(\.account)).subtracting(identified)
    }

    /// Returns true if `offer` can only be paid once its account's owner has submitted data.
    func needsData(for offer: Offer) -> Bool {
        offer.asksForData && !identified.contains(offer.account)
    }
}

/// The service's two environments: they share no data, and only the API key selects one.
enum World: String, Sendable, Hashable, CaseIterable {
    case test, live
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

/// Payment ids and links in the service's formats.
enum PaymentIDs {
    private static let crockford = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")

    /// Creates `pay_`, two changing digits, a constant and a ULID: 38 characters. The form is derived from recorded
    /// ids.
    static func make(at time: Date, _ random: any RandomSource) -> String {
        // A ULID's time has 48 bits. The bounds keep every date convertible.
        var milliseconds = UInt64(min(max(0, time.timeIntervalSince1970 * 1000), 0xFFFF_FFFF_FFFF))
        var ulid: [Character] = []
        for _ in 0..<10 {
            ulid.insert(crockford[Int(milliseconds & 31)], at: 0)
            milliseconds >>= 5
        }
        for _ in 0..<16 { ulid.append(crockford[Int(random.next() & 31)]) }
        return "pay_\(random.hex(2))a2ecc1\(String(ulid))"
    }

    /// Returns the link that buyers scan.
    static func link(to id: String) -> String { "https://pay.walletconnect.com/?pid=\(id)" }

    /// Returns the id that a path segment names. Ids arrive percent-encoded. A link to `pay.wct.me`, encoded as a
    /// whole, stands for the id in its path.
    static func resolve(segment: String) -> String {
        let id = PercentCoding.decode(segment) ?? segment
        guard let link = PercentCoding.decode(id).flatMap({ try? PaymentLink($0) }), link.host == "pay.wct.me" else {
            return id
        }
        return String(link.path.dropFirst())
    }
}
