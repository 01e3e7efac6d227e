/// The terms of a payment: amount, expiry and payee.
package struct InfoBody: Codable, Sendable {
    package let status: PaymentState
    /// The merchant's price, usually in fiat money.
    package let amount: AmountBody
    /// The expiry of the payment: Unix seconds.
    package let expiresAt: Int64
    package let merchant: MerchantBody
    package let buyer: BuyerBody?
}

/// The payee.
package struct MerchantBody: Codable, Sendable {
    package let name: String
    package let iconUrl: String?
}

/// The payer, if the service knows.
package struct BuyerBody: Codable, Sendable {
    /// CAIP-10.
    package let accountCaip10: String
    package let accountProviderName: String
    package let accountProviderIcon: String?
}

/// The transaction that paid.
package struct ResultBody: Codable, Sendable {
    package let txId: String
    /// The amount that was really paid; it may differ a little from the option's amount. Nil where it cannot be read:
    /// the transaction is known all the same.
    package let optionAmount: AmountBody?

    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        txId = try members.decode(String.self, forKey: .txId)
        optionAmount = try? members.decode(AmountBody.self, forKey: .optionAmount)
    }
}
