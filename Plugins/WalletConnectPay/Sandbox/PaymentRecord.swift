import PaymentCore

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
        /// A word that the specification does not have.
        case unfamiliar = "held_for_review"

        var isFinal: Bool { self != .requiresAction && self != .processing }
    }

    /// What is known once money has been taken.
    struct Transfer: Sendable {
        let transactionID: String
        let unit: String
        /// The account that paid (CAIP-10).
        let account: String
        /// The amount as answers state it.
        let amount: JSONValue

        /// - Parameter payment: test payments have no transaction, and say so.
        init(_ offer: Offer, of payment: PaymentRecord, random: any RandomSource) {
            transactionID = payment.world == .test ? "test:\(payment.id)" : "0x" + random.hex(64)
            unit = offer.asset.unit
            account = offer.account
            amount = offer.amount
        }

        /// The amount without how it looks, as webhooks tell it.
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
    /// Where the service's page sends buyers back to.
    var returns: CheckoutPages?
    /// The answer of a dishonest gateway in place of the honest one.
    var tampered: WalletConnectPaySandbox.TamperedAnswer?
    /// The actions that it holds back until they are fetched, by the option's id.
    var heldBack: [String: JSONValue] = [:]

    var status = Status.requiresAction
    /// Everything ever offered for the payment, by id.
    var offers: [String: Offer] = [:]
    /// The accounts whose owner's data is in. The data itself is not kept.
    var identified: Set<String> = []
    /// The confirmation that was accepted.
    var confirmation: (option: String, results: [String])?
    var transfer: Transfer?
    /// How many status queries, and until when (Unix seconds), the settlement takes.
    var pollsLeft = 0
    var settlesAt: Int64 = 0
    var failureCode: String?
    var cancelledReason: String?
    /// Marked by the merchant; nothing shows it.
    var isRefunded = false
    /// Which payment of the sandbox it is, counted from 0.
    var number = 0
    /// Rises with every change of state.
    var version: Int64 = 0
    var createdAt = Date(timeIntervalSince1970: 0)
    var changedAt = Date(timeIntervalSince1970: 0)
    var processingAt: Date?
    /// How many requests of each kind were refused.
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

    /// The price as every answer states it.
    var price: JSONValue { pricing.amount(units) }

    /// The price as pages state it, such as `12.50 USD`.
    var priceText: String {
        (try? Money(minorUnits: units, currency: Currency(unit: pricing.unit)))?.description ?? ""
    }

    /// The price in US cents, at the sandbox's rates.
    var cents: UInt128 { pricing.cents(units) }

    /// The answer of `confirm` and `status`. Only `status` tells a `failureCode`.
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

    /// The accounts among what was offered that must tell who owns them, and have not.
    var accountsAskedForData: Set<String> {
        Set(offers.values.filter(\.asksForData).map(\.account)).subtracting(identified)
    }

    /// Whether `offer` can only be paid once its account's owner has handed in data.
    func needsData(for offer: Offer) -> Bool {
        offer.asksForData && !identified.contains(offer.account)
    }
}
