import PaymentCore

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
        /// The amount as answers state it.
        let amount: JSONValue

        init(_ offer: Offer, random: any RandomSource) {
            transactionID = "0x" + random.hex(64)
            unit = offer.asset.unit
            amount = offer.amount
        }

        /// The `info` of a status.
        var info: JSONValue { ["txId": .string(transactionID), "optionAmount": amount] }
    }

    let id: String
    let referenceID: String
    let cents: UInt128
    let merchant: String
    let scenario: WalletConnectPaySandbox.Scenario
    /// Unix seconds.
    let expiresAt: Int64
    /// What a dishonest service tells in place of the truth.
    var lie: WalletConnectPaySandbox.Lie?
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
    /// How many requests of each kind were refused.
    var refusals: [GatewayVerb: Int] = [:]

    init(
        id: String, referenceID: String, cents: UInt128, merchant: String,
        scenario: WalletConnectPaySandbox.Scenario, expiresAt: Int64
    ) {
        self.id = id
        self.referenceID = referenceID
        self.cents = cents
        self.merchant = merchant
        self.scenario = scenario
        self.expiresAt = expiresAt
    }

    /// `info` of the options.
    var info: JSONValue {
        [
            "status": .string(status.rawValue), "expiresAt": .number(JSONNumber(expiresAt)), "buyer": nil,
            "merchant": ["name": .string(merchant), "iconUrl": nil],
            "amount": [
                "unit": "iso4217/USD", "value": .string(String(cents)),
                "display": ["assetSymbol": "USD", "assetName": "US Dollar", "decimals": 2],
            ],
        ]
    }

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
