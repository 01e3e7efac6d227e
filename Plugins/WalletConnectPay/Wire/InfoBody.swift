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
    /// What was really paid; it may differ a little from the option's amount.
    package let optionAmount: AmountBody
}
