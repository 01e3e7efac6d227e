package import PaymentCore

/// The members of `data` that describe a transaction: created, confirmed or inquired about.
///
/// Lenient as the vendor's own decoders: every member may be missing, null, or an empty string. A malformed number
/// counts as missing, because a known state must not be lost over a malformed time.
package struct TransactionFields: Sendable {
    package var code: String?
    package var message: String?
    package var id: String?
    package var object: String?
    package var reference: String?
    package var amount: Int?
    package var amountCaptured: Int?
    package var amountRefunded: Int?
    package var currency: String?
    package var country: String?
    package var status: String?
    package var autoCapture = false
    package var timeCreated: Int?
    package var timeAuthorized: Int?
    package var timeCaptured: Int?
    package var timeCanceled: Int?
    package var timeCompleted: Int?
    package var expiry: String?
    package var chargeToken: Redacted<String>?
    package var method: String?
    package var token: Redacted<String>?
    package var type: String?
    package var pan: Redacted<String>?
    package var cardExpiry: Redacted<String>?
    package var client: [ClientEntry] = []
    package var exchange: Exchange?
    /// The captures, refunds and disputes, as far as an inquiry reports them.
    package var captures: [TransactionFields] = []
    package var refunds: [TransactionFields] = []
    package var chargebacks: [TransactionFields] = []

    package init() {}

    package init(_ data: JSONValue) {
        self.init(alone: data)
        captures = Self.parts(data["captures"])
        refunds = Self.parts(data["refunds"])
        chargebacks = Self.parts(data["chargebacks"])
    }

    /// Creates the transaction without its lists, whose elements have none.
    private init(alone data: JSONValue) {
        code = Self.text(data["code"])
        message = data["message"]?.string
        id = data["id"]?.string
        object = data["object"]?.string
        reference = data["reference"]?.string
        amount = Self.whole(data["amount"])
        amountCaptured = Self.whole(data["amount_captured"])
        amountRefunded = Self.whole(data["amount_refunded"])
        currency = data["currency"]?.string
        country = data["country"]?.string
        status = data["status"]?.string
        autoCapture = Self.flag(data["auto_capture"])
        timeCreated = Self.whole(data["time_created"])
        timeAuthorized = Self.whole(data["time_authorized"])
        timeCaptured = Self.whole(data["time_captured"])
        timeCanceled = Self.whole(data["time_canceled"])
        timeCompleted = Self.whole(data["time_completed"])
        expiry = Self.text(data["expiry"])
        chargeToken = data["charge_token"]?.string.map { Redacted($0) }
        let payment = data["payment"]
        method = payment?["method"]?.string
        token = payment?["token"]?.string.map { Redacted($0) }
        type = payment?["type"]?.string
        pan = payment?["data"]?["pan"]?.string.map { Redacted($0) }
        cardExpiry = payment?["data"]?["expiry"]?.string.map { Redacted($0) }
        client = (payment?["client"]?.array ?? []).map(ClientEntry.init)
        exchange = Exchange(data["exchange"])
    }

    private static func parts(_ list: JSONValue?) -> [TransactionFields] {
        (list?["data"]?.array ?? []).filter { $0.object != nil }.map { TransactionFields(alone: $0) }
    }

    /// The amount in another currency.
    package struct Exchange: Sendable {
        package let amount: Int?
        package let currency: String?
        /// The exchange rate, a fraction as it was written.
        package let rate: JSONNumber?

        /// Creates the values; nil where every member is null or missing.
        init?(_ json: JSONValue?) {
            amount = TransactionFields.whole(json?["amount"])
            currency = json?["currency"]?.string
            rate = json?["rate"]?.number
            if amount == nil, currency == nil, rate == nil { return nil }
        }
    }

    /// The state; nil when the service omitted it.
    package var state: CitconStatus? { status.map(CitconStatus.init(rawValue:)) }

    /// Returns a whole number, which older versions write with a fraction of zeros.
    private static func whole(_ value: JSONValue?) -> Int? { value?.number?.exactly() }

    private static func text(_ value: JSONValue?) -> String? { value?.string ?? value?.number?.text }

    /// Returns a flag; the guide types one as a string.
    private static func flag(_ value: JSONValue?) -> Bool {
        value?.bool ?? (value?.string?.equalsIgnoringASCIICase("true") ?? false)
    }
}

/// One client's means of payment: `payment.client[]` of a charge.
package struct ClientEntry: Sendable, Hashable {
    /// The kind of client it is for, such as `mobile_native`.
    package let client: String?
    /// `redirect`, `json` or `qr`.
    package let format: String?
    /// The HTTP method for a page; `GET`.
    package let method: String?
    /// A URL, or JSON as text.
    package let content: Redacted<String>?

    package init(_ json: JSONValue) {
        client = json["client"]?.string
        format = json["format"]?.string
        method = json["method"]?.string
        content = json["content"]?.string.map { Redacted($0) }
    }
}

extension TransactionFields {
    /// The amount in minor units of the currency, where both are stated and valid.
    package var money: Money? { money(amount) }

    /// The captured amount; the full amount where the service states none.
    package var moneyTaken: Money? { money(amountCaptured.flatMap { $0 > 0 ? $0 : nil } ?? amount) }

    /// Returns an amount of `units` in the currency of the transaction; nil where they are not valid.
    package func money(_ units: Int?) -> Money? {
        guard let units = units.flatMap({ UInt128(exactly: $0) }), let currency,
            let fiat = try? FiatCurrency(currency.uppercased())
        else { return nil }
        return try? Money(minorUnits: units, currency: .fiat(fiat))
    }
}
