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

        /// Creates the values; nil if every member is null or missing.
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

    /// Returns a flag. The guide types one as a string.
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
    /// The HTTP method for a page: `GET`.
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
    /// The amount in minor units of the currency, if both are stated and valid.
    package var money: Money? { money(amount) }

    /// The captured amount, or the full amount if the service states no captured one.
    package var moneyTaken: Money? { money(amountCaptured.flatMap { $0 > 0 ? $0 : nil } ?? amount) }

    /// Returns an amount of `units` in the currency of the transaction; nil if they are not valid.
    package func money(_ units: Int?) -> Money? {
        guard let units = units.flatMap({ UInt128(exactly: $0) }), let currency,
            let fiat = try? FiatCurrency(currency.uppercased())
        else { return nil }
        return try? Money(minorUnits: units, currency: .fiat(fiat))
    }

    /// Returns the report for this transaction's state. An unknown state is never success or failure.
    ///
    /// - Parameters:
    ///   - terms: the terms that the payer agreed to: a final state counts only for a charge over exactly these. If the
    ///     amount is unknown, only the reference is compared, and a success has to state the paid amount.
    ///   - payment: the reference of the payment here.
    /// - Throws: ``PaymentError`` when it is about another charge or another amount than agreed.
    package func report(of payment: PaymentReference, over terms: ChargeTerms) throws(PaymentError) -> ServiceReport {
        func wrong(_ message: String) -> PaymentError {
            PaymentError(.integrity, message, provider: payment.provider, phase: .maybeSent)
        }
        guard reference == terms.reference else { throw wrong("the service's answer is about another charge") }
        if terms.amount != nil, state?.isSettled == true, let member = terms.difference(from: self) {
            throw wrong("the service states another '\(member)' than was agreed, or none that can be read")
        }
        switch state {
        case .succeeded, .authorized:
            guard let paid = money else {
                return .unknown(
                    UnknownOutcome(
                        reference: payment, rawStatus: state?.rawValue,
                        message: "the service calls it paid, but does not say how much was"))
            }
            return .succeeded(
                PaymentReceipt(reference: payment, amount: paid, transactionID: id.flatMap(Self.plainID)))
        case .failed:
            return .declined(DeclineReason(.refused, "the service reports that the payment failed"))
        case .canceled: return .cancelled
        case .expired: return .expired
        case .initiated, .pending: return .pending(retryAfter: nil)
        case .unknown(let word):
            return .unknown(
                UnknownOutcome(
                    reference: payment, rawStatus: Self.printable(word),
                    message: "the service reports a state that this version does not know"))
        case nil:
            return .unknown(
                UnknownOutcome(reference: payment, message: "the service does not state the charge's state"))
        }
    }

    /// Returns foreign text, cut and made printable: states are words, without digits.
    private static func printable(_ text: String) -> String {
        String(
            decoding: text.utf8.prefix(40).map { $0.isASCIILetter || "_- ".utf8.contains($0) ? $0 : UInt8(ascii: "?") },
            as: UTF8.self)
    }

    /// Returns an id in the service's format; nil for anything else.
    private static func plainID(_ text: String) -> String? {
        let isPlain = text.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || "_-.".utf8.contains($0) }
        return isPlain && (1...64).contains(text.utf8.count) ? text : nil
    }
}

// MARK: - Status

/// The state of a transaction. Both spellings in use are the same state. An unknown raw value is kept unchanged.
@nonexhaustive
public enum CitconStatus: Sendable, Hashable, RawRepresentable {
    /// Created, but not paid.
    case initiated
    /// In progress. The guide says that this typically ends in a failure.
    case pending
    /// The money is reserved. The payer's part is complete, but the merchant still has to capture it.
    case authorized
    /// Paid.
    case succeeded
    /// Not paid.
    case failed
    /// Cancelled.
    case canceled
    /// Expired.
    case expired
    /// Another raw value.
    case unknown(String)

    /// Creates a state from a raw value: blanks around it and the case of its letters do not matter (Protocol 6.3).
    public init(rawValue: String) {
        let bytes = rawValue.utf8.map(\.lowercased)
        let isBlank: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) }
        let start = bytes.firstIndex { !isBlank($0) } ?? bytes.endIndex
        let end = bytes.lastIndex { !isBlank($0) }.map { $0 + 1 } ?? start
        switch String(decoding: bytes[start..<end], as: UTF8.self) {
        case "initiated": self = .initiated
        case "pending": self = .pending
        case "authorized": self = .authorized
        case "succeeded", "success", "captured": self = .succeeded
        case "failed", "fail": self = .failed
        case "canceled", "cancelled", "voided": self = .canceled
        case "expired": self = .expired
        default: self = .unknown(rawValue)
        }
    }

    /// The guide's raw value of the state, or the unknown raw value unchanged.
    public var rawValue: String {
        switch self {
        case .initiated: "initiated"
        case .pending: "pending"
        case .authorized: "authorized"
        case .succeeded: "succeeded"
        case .failed: "failed"
        case .canceled: "canceled"
        case .expired: "expired"
        case .unknown(let word): word
        }
    }

    /// True if the payer has paid, as the guide's `${success_status}`: captured, or reserved for the merchant.
    public var isPaid: Bool { self == .succeeded || self == .authorized }

    /// True if the payer can do nothing more about it.
    public var isSettled: Bool {
        switch self {
        case .succeeded, .authorized, .failed, .canceled, .expired: true
        case .initiated, .pending, .unknown: false
        }
    }
}

extension UInt8 {
    fileprivate var lowercased: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }
}
