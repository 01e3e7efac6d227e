/// An order, as the vendor's guide fills it in (iOS documentation 2.0.6, section "Request").
///
/// ``transaction`` needs its reference, amount, currency and country, and ``payment`` its method.
/// ``CPayManager/requestOrder(_:callback:)`` takes a copy: later changes do not reach an order under way. Members that
/// are nil are not sent. The vendor's classes are Objective-C objects; these are plain Swift classes.
public final class CPayRequest: CPayConfidential {
    /// Whether the request comes from the vendor's own systems; known from later releases of the vendor's SDK.
    public var `internal`: Bool?
    /// What is to be paid.
    public var transaction = CPayTransaction()
    /// Who pays; needed by cards, PayPal and Venmo.
    public var consumer: CPayConsumer?
    /// How it is to be paid; without a method nothing is sent.
    public var payment: CPayPayment?
    /// What is bought.
    public var goods: CPayGoods?
    /// Paying in instalments.
    public var installments: CPayInstallments?
    /// Where the service reports to and leads the payer back to.
    public var urls = CPayUrls()
    /// More about the transaction, the device and the gateway. In the vendor's SDK, not in its guide.
    public var ext: CPayExt?

    // What follows stays on the device.

    /// The application's own URL scheme, such as `com.citcon.citconpay`, by which Alipay and UnionPay lead back.
    public var scheme: String?
    /// The application's universal link, such as `https://www.merchant.com/apps/`, by which WeChat leads back.
    public var universalLink: String?
    /// Whatever presents the vendor's screens in an application; it has no use here and is only kept.
    public var controller: (any Sendable)?
    /// Whether a card payment goes through 3-D Secure; handed to whoever turns the card into a nonce.
    public var request3DSecureVerification = false
    /// Which UnionPay service is meant: `00` for production, `01` for development.
    public var unionpayMode: String? = "00"
    /// The merchant's client id at PayPal, in place of the one that the service names; known from later releases of the
    /// vendor's SDK.
    public var paypalClientId: String?
    /// The single-use token that the merchant's server got when it created the charge.
    public var chargeToken: String?

    /// Creates an order whose ``transaction`` and ``urls`` are there and empty.
    public init() {}
}

/// Where the service reports to and where pages lead the payer (guide, `CPayUrls`).
public final class CPayUrls: CPayConfidential {
    /// The merchant's server that is notified.
    public var ipn: String?
    /// Where the payer goes after paying.
    public var success: String?
    /// Where the payer goes after a failure.
    public var fail: String?
    /// Where the payer goes after calling it off.
    public var cancel: String?
    /// A return address for mobile devices; known from later releases of the vendor's SDK.
    public var mobile: String?

    /// Creates an empty set.
    public init() {}
}

/// Paying in instalments (guide, `CPayInstallments`).
public final class CPayInstallments: CPayConfidential {
    /// The largest plan.
    public var id: String?
    /// The number of the payment; in the vendor's SDK, not in its guide. Text in releases up to 2.0.8.
    public var paymentNumber: Double?
    /// The number of payments; in the vendor's SDK, not in its guide. Text in releases up to 2.0.8.
    public var quantity: Int32?

    /// Creates an empty value.
    public init() {}
}
