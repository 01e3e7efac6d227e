package import CitconProvider
public import PaymentCore

/// An order with the members of the vendor's guide (iOS documentation 2.0.6, section "Request").
///
/// ``transaction`` needs its reference, amount, currency and country, and ``payment`` its method.
/// ``CPayManager/requestOrder(_:callback:)`` takes a copy: later changes do not reach an order in flight. Members that
/// are nil are not sent. The vendor's classes are Objective-C objects, these are plain Swift classes.
public final class CPayRequest: CPayConfidential {
    /// True if the request comes from the vendor's own systems; known from later releases of the vendor's SDK.
    public var `internal`: Bool?
    /// The transaction to pay.
    public var transaction = CPayTransaction()
    /// The payer; needed by cards, PayPal and Venmo.
    public var consumer: CPayConsumer?
    /// The means of payment. Without a method nothing is sent.
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

    /// The application's own URL scheme, such as `com.citcon.citconpay`, for the returns of Alipay and UnionPay.
    public var scheme: String?
    /// The application's universal link, such as `https://www.merchant.com/apps/`, for WeChat's return.
    public var universalLink: String?
    /// The presenter of the vendor's screens in an application. This library keeps it without using it.
    public var controller: (any Sendable)?
    /// True if a card payment uses 3-D Secure. It is passed to the code that turns the card into a nonce.
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
    /// True if the charge is captured at once. Wallets such as WeChat Pay, Alipay and UnionPay ignore it.
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
    ///   other than USD, CAD, CNY and JPY. This follows ISO 4217.
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

    /// Street and number. Some wallets of South-East Asia need the address.
    public var street: String?
    /// The city.
    public var city: String?
    /// The postal code.
    public var zip: String?
    /// The country, two letters.
    public var country: String?
    /// The time of the payer's registration with the merchant.
    public var registrationTime: Int?
    /// The IP address of the payer's registration.
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

/// The means of payment (guide, `CPayPayment`).
public final class CPayPayment: CPayConfidential {
    /// The method in lower case, such as `wechatpay`, `alipay`, `upop`, `card`, `paypal`. Methods are an open set.
    public var method: String?
    /// The origin of the transaction, such as `authenticated`.
    public var indicator: String?
    /// True if a token for later payments is requested: cards, PayPal and Venmo support it. Always sent.
    public var requestToken = false
    /// A token of an earlier payment.
    public var token: String?
    /// The payer's clients; nil for none. `mobile_native` is added when it is sent.
    public var client: [String]?
    /// The expiry of the order, as an absolute time. The guide does not state the unit. Its demonstration uses seconds
    /// since 1970.
    public var expiry: Int?
    /// The card.
    public var data: CPayPaymentData?
    /// The card holder's address.
    public var billingAddress: CPayBillingAddr?
    /// The form of the launch payload, such as `redirect`; in the vendor's SDK, not in its guide.
    public var format: String?
    /// Braintree's nonce for a card or an account; in the vendor's SDK, not in its guide.
    public var nonce: String?

    /// Creates an empty value.
    public init() {}
}

/// A card (guide, `CPayPaymentData`).
public final class CPayPaymentData: CPayConfidential {
    /// The card holder's first name.
    public var firstName: String?
    /// The card holder's last name.
    public var lastName: String?
    /// The security code.
    public var cvv: String?
    /// The card number.
    public var pan: String?
    /// The month of expiry, `MM/YY`.
    public var expiry: String?
    /// The issuer of the card; in the vendor's SDK, not in its guide.
    public var issuer: String?

    /// Creates an empty value.
    public init() {}
}

/// The card holder's address (guide, `CPayBillingAddr`). All of it is needed for 3-D Secure.
public final class CPayBillingAddr: CPayConfidential {
    /// Street and number.
    public var street: String?
    /// The unit within the house.
    public var street2: String?
    /// The city.
    public var city: String?
    /// The state or province.
    public var state: String?
    /// The postal code.
    public var zip: String?
    /// The country, two letters in upper case.
    public var country: String?

    /// Creates an empty value.
    public init() {}
}

/// The goods and their shipping address (guide, `CPayGoods`).
public final class CPayGoods: CPayConfidential {
    /// The products. On the wire the list is called `data`.
    public var goods: [CPayProduct]?
    /// The shipping address.
    public var shipping: CPayShipping?

    /// Creates an empty value.
    public init() {}
}

/// One product (guide, `CPayProduct`). Amounts are in minor units. Nil members are not sent.
public final class CPayProduct: CPayConfidential {
    /// The name.
    public var name: String?
    /// The merchant's article number.
    public var sku: String?
    /// The product's page.
    public var url: String?
    /// The number of pieces.
    public var quantity: Int?
    /// The total, with tax and discount.
    public var totalAmount: Int?
    /// The price of one piece, with tax, without discount.
    public var unitAmount: Int?
    /// The rate of tax.
    public var totalTaxRate: Int?
    /// The tax.
    public var totalTaxAmount: Int?
    /// The discount.
    public var totalDiscountAmount: Int?
    /// The taxed part.
    public var taxableAmount: Int?
    /// The tax-exempt part.
    public var taxExemptAmount: Int?
    /// The code of the discount; in the vendor's SDK, not in its guide.
    public var totalDiscountCode: String?

    // Known from later releases of the vendor's SDK.

    /// The kind of product, in the merchant's terms.
    public var category: String?
    /// The kind of product for the gateway, such as `physical`, `digital` or `service`.
    public var productType: String?
    /// The description. On the wire it is called `description`.
    public var desc: String?
    /// The tax on one piece.
    public var unitTaxAmount: Int?

    /// Creates an empty value.
    public init() {}
}

/// The shipping address of the goods (guide, `CPayShipping`).
public final class CPayShipping: CPayConfidential {
    /// The first name.
    public var firstName: String?
    /// The last name.
    public var lastName: String?
    /// The telephone number.
    public var phone: String?
    /// The e-mail address.
    public var email: String?
    /// Street and number.
    public var street: String?
    /// The unit within the house.
    public var street2: String?
    /// The city.
    public var city: String?
    /// The state or province.
    public var state: String?
    /// The postal code.
    public var zip: String?
    /// The country, two letters.
    public var country: String?
    /// `shipping` or a kind of collection; known from later releases of the vendor's SDK.
    public var type: String?
    /// The cost of shipping, in minor units; known from later releases of the vendor's SDK.
    public var amount: Int?

    /// Creates an empty value.
    public init() {}
}

// MARK: - Copies and descriptions

extension Order {
    /// Creates a copy of an order of the vendor's client.
    package init(_ request: CPayRequest) {
        self.init(
            method: request.payment?.method, reference: request.transaction.reference,
            amount: request.transaction.amount, currency: request.transaction.currency,
            country: request.transaction.country, chargeToken: request.chargeToken.map { Redacted($0) },
            consumer: (request.consumer?.reference).map { Redacted($0) }, scheme: request.scheme,
            universalLink: request.universalLink, unionPayMode: request.unionpayMode,
            wants3DSecure: request.request3DSecureVerification, payPalClientID: request.paypalClientId,
            pages: Set([request.urls.success, request.urls.fail, request.urls.cancel].compactMap(\.self)),
            body: request.body)
    }
}

/// A value that prints as its type's name: descriptions, interpolations, dumps and mirrors show none of its content.
///
/// Orders carry card numbers, security codes, tokens, names and addresses, and applications print their objects.
public protocol CPayConfidential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension CPayConfidential {
    /// The type's name.
    public var description: String { "\(Self.self)(<redacted>)" }

    /// The type's name.
    public var debugDescription: String { description }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
