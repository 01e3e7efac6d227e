public import PaymentCore

/// The transaction to pay (guide, `CPayTransaction`).
public final class CPayTransaction: CPayConfidential {
    /// The merchant's own id of the charge, unique for the merchant: the service refuses a second use.
    public var reference: String?
    /// The amount in minor units: cents of a dollar, whole yen. See ``setAmount(_:)``.
    public var amount = 0
    /// The ISO 4217 code in upper case.
    public var currency: String?
    /// The country of the payment, two letters of ISO 3166-1 in upper case.
    public var country: String?
    /// True if the charge is captured at once; wallets such as WeChat Pay, Alipay and UnionPay ignore it.
    public var autoCapture = false
    /// The merchant's remark.
    public var note: String?
    /// The merchant's line of business; known from later releases of the vendor's SDK.
    public var vertical: String?

    /// Creates an empty transaction.
    public init() {}

    /// Sets ``amount`` and ``currency`` from an exact amount.
    ///
    /// - Throws: ``MoneyError`` when it is not in a currency of ISO 4217, has another number of decimals than ISO 4217
    ///   defines for the currency, or is too large. The vendor does not publish the service's minor units of currencies
    ///   other than USD, CAD, CNY and JPY; this follows ISO 4217.
    public func setAmount(_ money: Money) throws(MoneyError) {
        guard case .fiat(let fiat) = money.currency else { throw .unknownUnit }
        guard money.exponent == fiat.exponent else { throw .unknownCurrency(code: fiat.code) }
        guard let amount = Int(exactly: money.minorUnits) else { throw .tooLarge }
        self.amount = amount
        currency = fiat.code
    }
}

/// The vendor SDK's name for ``CPayTransaction``.
public typealias CPayTranscation = CPayTransaction

/// The payer (guide, `CPayConsumer`).
public final class CPayConsumer: CPayConfidential {
    /// The merchant's own id of the payer; needed to find stored instruments.
    public var reference: String?
    /// The first name; needed for 3-D Secure, as the three that follow.
    public var firstName: String?
    /// The last name.
    public var lastName: String?
    /// The telephone number.
    public var phone: String?
    /// The e-mail address.
    public var email: String?

    // Known from later releases of the vendor's SDK.

    /// Street and number; some wallets of South-East Asia need the address.
    public var street: String?
    /// The city.
    public var city: String?
    /// The postal code.
    public var zip: String?
    /// The country, two letters.
    public var country: String?
    /// The time at which the payer registered with the merchant.
    public var registrationTime: Int?
    /// The IP address from which the payer registered.
    public var registrationIp: String?
    /// The merchant's own assessment of the payer's risk.
    public var riskLevel: String?
    /// The time of the payer's first interaction with the merchant.
    public var firstInteractionTime: Int?
    /// The number of the payer's payments to the merchant.
    public var totalTransactionCount: Int?

    /// Creates an empty value.
    public init() {}
}
