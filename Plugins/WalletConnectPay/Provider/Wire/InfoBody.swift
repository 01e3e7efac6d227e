/// What is to be paid, and to whom.
package struct InfoBody: Codable, Sendable {
    package let status: PaymentState
    /// What the merchant asks for, usually in fiat money.
    package let amount: AmountBody
    /// When the payment can no longer be paid: Unix seconds.
    package let expiresAt: Int64
    package let merchant: MerchantBody
    package let buyer: BuyerBody?
}

/// Who is paid.
package struct MerchantBody: Codable, Sendable {
    package let name: String
    package let iconUrl: String?
}

/// Who pays, when the service knows.
package struct BuyerBody: Codable, Sendable {
    /// CAIP-10.
    package let accountCaip10: String
    package let accountProviderName: String
    package let accountProviderIcon: String?
}

/// The transaction that paid.
package struct ResultBody: Codable, Sendable {
    package let txId: String
    /// What was really paid; it may differ a little from the option's amount. Nil where the service's word cannot be
    /// read: the transaction is known all the same.
    package let optionAmount: AmountBody?

    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        txId = try members.decode(String.self, forKey: .txId)
        optionAmount = try? members.decode(AmountBody.self, forKey: .optionAmount)
    }
}
