/// An order with the members of the vendor's guide (iOS documentation 2.0.6, section "Request").
///
/// ``transaction`` needs its reference, amount, currency and country, and ``payment`` its method.
/// ``CPayManager/requestOrder(_:callback:)`` takes a copy: later changes do not reach an order in flight. Members that
/// are nil are not sent. The vendor's classes are Objective-C objects; these are plain Swift classes.
public final class CPayRequest: CPayConfidential {
    /// True if the request comes from the vendor's own systems; known from later releases of the vendor's SDK.
    public var `internal`: Bool?
    /// The transaction to pay.
    public var transaction = CPayTransaction()
    /// The payer; needed by cards, PayPal and Venmo.
    public var consumer: CPayConsumer?
    /// The means of payment; without a method nothing is sent.
    public var payment: CPayPayment?
    /// The goods.
    public var goods: CPayGoods?
    /// The payment in instalments.
    public var installments: CPayInstallments?
    /// The addresses for the service's notifications and for the payer's return.
    public var urls = CPayUrls()
    /// More about the transaction, the device and the gateway. In the vendor's SDK, not in its guide.
    public var ext: CPayExt?

    // What follows stays on the device.

    /// The application's own URL scheme, such as `com.citcon.citconpay`, by which Alipay and UnionPay return.
    public var scheme: String?
    /// The application's universal link, such as `https://www.merchant.com/apps/`, by which WeChat returns.
    public var universalLink: String?
    /// The presenter of the vendor's screens in an application; this library keeps it without using it.
    public var controller: (any Sendable)?
    /// True if a card payment uses 3-D Secure; passed to the code that turns the card into a nonce.
    public var request3DSecureVerification = false
    /// The UnionPay environment: `00` for production, `01` for development.
    public var unionpayMode: String? = "00"
    /// The merchant's client id at PayPal, in place of the one that the service names; known from later releases of the
    /// vendor's SDK.
    public var paypalClientId: String?
    /// The single-use token that the merchant's server got when it created the charge.
    public var chargeToken: String?

    /// Creates an order with an empty ``transaction`` and empty ``urls``.
    public init() {}
}

/// The addresses for the service's notifications and for pages that return the payer (guide, `CPayUrls`).
public final class CPayUrls: CPayConfidential {
    /// The address of the merchant's server for notifications.
    public var ipn: String?
    /// The payer's destination after paying.
    public var success: String?
    /// The payer's destination after a failure.
    public var fail: String?
    /// The payer's destination after cancelling.
    public var cancel: String?
    /// A return address for mobile devices; known from later releases of the vendor's SDK.
    public var mobile: String?

    /// Creates an empty set.
    public init() {}
}

/// A payment in instalments (guide, `CPayInstallments`).
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
