import PaymentCore
import PaymentCrypto
import PaymentTesting

/// A tenant's wish to pay something, under a key.
struct ServedOrder: Sendable {
    /// The choice of an option.
    enum Choice: Sendable {
        /// The caller is asked.
        case asked
        /// Anything that costs at most one of these amounts.
        case within([Money])
        /// An option of a quote that the caller has seen before.
        case quoted
        /// An option by its name, at the price of the first view that has one.
        case named
    }

    let number: Int
    let tenant: String
    let key: String
    let payment: MarketPayment
    let link: String
    let choice: Choice

    /// The request; the quote of a quoted order is added to it.
    var body: JSONValue {
        var body: JSONValue = ["acceptingUnverified": true, "link": .string(link)]
        if case .within(let limits) = choice { body["limits"] = .array(limits.map(Self.json)) }
        return body
    }

    /// Draws the orders of a payment: a few keys, some of them of the other tenant, in any spelling of the link.
    static func drawn(
        _ payment: MarketPayment, from number: Int, _ random: SeededRandomSource
    ) throws -> [ServedOrder] {
        let (low, high) = (try limits(1), try limits(100_000))
        return (0..<(1 + random.below(3))).map { index in
            let limits = random.happens(0.3) ? low : high
            let choices: [Choice] = [.asked, .within(high), .within(limits), .quoted, .named]
            return ServedOrder(
                number: number + index, tenant: random.pick(Tenant.names), key: "key-\(number + index)",
                payment: payment, link: random.pick(payment.links), choice: random.pick(choices))
        }
    }

    private static func limits(_ units: UInt128) throws -> [Money] {
        [
            try Money(minorUnits: units, currency: .eur), try Money(minorUnits: units, currency: .usd),
            try Money(minorUnits: units, currency: .satoshi),
        ]
    }

    static func json(_ money: Money) -> JSONValue {
        ["amount": .string(money.decimalText), "unit": .string(money.currency.mainUnit)]
    }

    /// Returns true if an attempt was begun for this key.
    func owns(_ attempt: AttemptID) -> Bool {
        let mark = Hex.encode(Digest.sha256.hash(Array("intent\n\(tenant)\n\(key)".utf8))).prefix(16)
        return attempt.rawValue.hasPrefix("att_" + mark)
    }
}
