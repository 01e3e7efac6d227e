import WalletConnectPayProvider

/// The terms of a payment: amount, expiry and payee.
public struct PaymentInfo: Sendable, Hashable, Codable {
    /// The status of the payment. A payment that was cancelled has no info: requesting it throws.
    public var status: PaymentStatus
    /// The merchant's price, usually in fiat money.
    public var amount: PayAmount
    /// The expiry of the payment: Unix seconds.
    public var expiresAt: Int64
    /// The payee.
    public var merchant: MerchantInfo
    /// The payer, if known.
    public var buyer: BuyerInfo?

    /// Creates a value.
    public init(
        status: PaymentStatus, amount: PayAmount, expiresAt: Int64, merchant: MerchantInfo, buyer: BuyerInfo? = nil
    ) {
        self.status = status
        self.amount = amount
        self.expiresAt = expiresAt
        self.merchant = merchant
        self.buyer = buyer
    }
}

/// The payee.
public struct MerchantInfo: Sendable, Hashable, Codable {
    /// The name to show.
    public var name: String
    /// A picture.
    public var iconUrl: String?

    /// Creates a value.
    public init(name: String, iconUrl: String? = nil) {
        self.name = name
        self.iconUrl = iconUrl
    }
}

/// The payer, if the service knows.
public struct BuyerInfo: Sendable, Hashable, Codable {
    /// The account, CAIP-10.
    public var accountCaip10: String
    /// The wallet's name.
    public var accountProviderName: String
    /// The wallet's picture.
    public var accountProviderIcon: String?

    /// Creates a value.
    public init(accountCaip10: String, accountProviderName: String, accountProviderIcon: String? = nil) {
        self.accountCaip10 = accountCaip10
        self.accountProviderName = accountProviderName
        self.accountProviderIcon = accountProviderIcon
    }
}

extension PaymentInfo {
    init(_ body: InfoBody) throws(GatewayError) {
        self.init(
            status: try PaymentStatus(body.status), amount: PayAmount(body.amount), expiresAt: body.expiresAt,
            merchant: MerchantInfo(name: body.merchant.name, iconUrl: body.merchant.iconUrl),
            buyer: body.buyer.map {
                BuyerInfo(
                    accountCaip10: $0.accountCaip10, accountProviderName: $0.accountProviderName,
                    accountProviderIcon: $0.accountProviderIcon)
            })
    }
}
