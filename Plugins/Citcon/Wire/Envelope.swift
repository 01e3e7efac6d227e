package import PaymentCore

/// What every answer of the service is wrapped in. `status` speaks of the request, never of a payment.
package struct Envelope: Sendable {
    /// `success` or `fail`, as it came.
    package let status: String
    package let app: String?
    package let version: String?
    /// The result, or code and message of a failure.
    package let data: JSONValue

    /// Reads a body, and takes `secrets` out of it.
    ///
    /// - Throws: ``CitconCallError/unusableAnswer(_:)`` saying what is wrong with it, without quoting it.
    package init(_ body: [UInt8], without secrets: SentSecrets = SentSecrets()) throws(CitconCallError) {
        let json: JSONValue
        do { json = secrets.taken(from: try JSONValue(parsing: body)) } catch {
            throw .unusableAnswer("the service's answer is not JSON")
        }
        guard let status = json["status"]?.string, let data = json["data"], data.object != nil else {
            throw .unusableAnswer("the service's answer lacks 'status' or 'data'")
        }
        self.status = status
        self.data = data
        app = json["app"]?.string
        version = json["version"]?.string
    }

    /// Whether the request worked.
    package var isSuccess: Bool { CitconStatus(rawValue: status) == .succeeded }
}

/// The members of `data` that describe a transaction: created, confirmed or asked about.
///
/// Lenient as the vendor's own decoders: every member may be missing, null, or an empty string. A number that is not
/// one counts as missing, because a state that is known must not be lost over a defective time.
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
    package var expiry: String?
    package var chargeToken: Redacted<String>?
    package var method: String?
    package var token: Redacted<String>?
    package var type: String?
    package var pan: Redacted<String>?
    package var cardExpiry: Redacted<String>?
    package var client: [ClientEntry] = []

    package init() {}

    package init(_ data: JSONValue) {
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
        expiry = Self.text(data["expiry"])
        chargeToken = data["charge_token"]?.string.map { Redacted($0) }
        let payment = data["payment"]
        method = payment?["method"]?.string
        token = payment?["token"]?.string.map { Redacted($0) }
        type = payment?["type"]?.string
        pan = payment?["data"]?["pan"]?.string.map { Redacted($0) }
        cardExpiry = payment?["data"]?["expiry"]?.string.map { Redacted($0) }
        client = (payment?["client"]?.array ?? []).map(ClientEntry.init)
    }

    /// The state, read; nil when the service left it out.
    package var state: CitconStatus? { status.map(CitconStatus.init(rawValue:)) }

    /// A whole number, which older versions write with a fraction of zeros.
    private static func whole(_ value: JSONValue?) -> Int? { value?.number?.exactly() }

    private static func text(_ value: JSONValue?) -> String? { value?.string ?? value?.number?.text }

    /// The guide types one flag as a string.
    private static func flag(_ value: JSONValue?) -> Bool {
        value?.bool ?? (value?.string?.equalsIgnoringASCIICase("true") ?? false)
    }
}

/// One way to meet a payment: `payment.client[]` of a charge.
package struct ClientEntry: Sendable, Hashable {
    /// The kind of client it is for, such as `mobile_native`.
    package let client: String?
    /// `redirect`, `json` or `qr`.
    package let format: String?
    /// How a page is asked for; `GET`.
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
    /// The amount in minor units of the currency, where both are stated and make sense.
    package var money: Money? { money(amount) }

    private func money(_ units: Int?) -> Money? {
        guard let units = units.flatMap({ UInt128(exactly: $0) }), let currency,
            let fiat = try? FiatCurrency(currency.uppercased())
        else { return nil }
        return try? Money(minorUnits: units, currency: .fiat(fiat))
    }
}
