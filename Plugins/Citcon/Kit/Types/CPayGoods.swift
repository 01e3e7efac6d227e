/// The goods and their shipping address (guide, `CPayGoods`).
public final class CPayGoods: CPayConfidential {
    /// The products. On the wire the list is called `data`.
    public var goods: [CPayProduct]?
    /// The shipping address.
    public var shipping: CPayShipping?

    /// Creates an empty value.
    public init() {}
}

/// One product (guide, `CPayProduct`). Amounts are in minor units; nil members are not sent.
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
