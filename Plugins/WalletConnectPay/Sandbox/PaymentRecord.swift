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

        /// - Parameter payment: a test payment has no transaction; its transaction id says so.
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
    /// The pages to which the service sends buyers back.
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
    /// The number of status queries that the settlement still takes; `settlesAt` is its earliest end (Unix seconds).
    var pollsLeft = 0
    var settlesAt: Int64 = 0
    var failureCode: String?
    var cancelledReason: String?
    /// True after the merchant's refund mark; no answer shows it.
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
