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
    /// The clients on which the payer pays; nil for none. `mobile_native` is added when it is sent.
    public var client: [String]?
    /// The time at which the order expires, as an absolute time. The guide does not state the unit; its demonstration
    /// uses seconds since 1970.
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
