import PaymentCore
import WalletConnectPayProvider

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The terms of a payment link and the ways to pay it.
public struct PaymentOptionsResponse: Sendable, Hashable {
    /// The payment's id, for the following calls.
    public var paymentId: String
    /// The terms of the payment; nil unless requested.
    public var info: PaymentInfo?
    /// The ways to pay. Empty when the accounts hold too little, and when the payment has succeeded, failed or expired:
    /// see `info.status`.
    public var options: [PaymentOption]
    /// The data about the payer that some option requires. Prefer each option's own ``PaymentOption/collectData``:
    /// options without it need none.
    public var collectData: CollectDataAction?
    /// The transaction, if the payment is already paid and the service reports it.
    public var resultInfo: PaymentResultInfo?
    /// True if actions that were handed out earlier may have paid, although the service does not report it. Not among
    /// the vendor's members.
    public var mayHaveMovedMoney: Bool

    /// Creates a response.
    public init(
        paymentId: String, info: PaymentInfo? = nil, options: [PaymentOption], collectData: CollectDataAction? = nil,
        resultInfo: PaymentResultInfo? = nil, mayHaveMovedMoney: Bool = false
    ) {
        self.paymentId = paymentId
        self.info = info
        self.options = options
        self.collectData = collectData
        self.resultInfo = resultInfo
        self.mayHaveMovedMoney = mayHaveMovedMoney
    }
}

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

/// One way to pay: an account, a chain and a token.
///
/// The core has a type of this name too. Code that imports both modules writes ``PayOption`` for this one and
/// `PaymentCore.PaymentMethodOption` for the other.
public struct PaymentOption: Sendable, Hashable, Identifiable {
    /// The option's id.
    public var id: String
    /// The account that would pay, CAIP-10, spelt as it was passed to the service.
    public var account: String
    /// The amount that leaves the account.
    public var amount: PayAmount
    /// The expected time until settlement, in seconds; 0 when the service omits it.
    public var etaS: Int64
    /// The expiry of the price: Unix seconds; nil for prices that do not change.
    public var expiresAt: Int64?
    /// The wallet calls that are already known: a preview. The complete list comes from
    /// ``PayClient/getRequiredPaymentActions(paymentId:optionId:)``. Empty if calls have to be fetched, and if the
    /// known ones would do anything other than pay this option.
    public var actions: [Action]
    /// The data about the payer that this option requires; nil when none.
    public var collectData: CollectDataAction?

    /// Creates an option.
    public init(
        id: String, account: String, amount: PayAmount, etaS: Int64, expiresAt: Int64? = nil, actions: [Action],
        collectData: CollectDataAction? = nil
    ) {
        self.id = id
        self.account = account
        self.amount = amount
        self.etaS = etaS
        self.expiresAt = expiresAt
        self.actions = actions
        self.collectData = collectData
    }
}

/// ``PaymentOption`` under a name that is unambiguous next to the core's type.
public typealias PayOption = PaymentOption

/// An amount of money or tokens.
public struct PayAmount: Sendable, Hashable, Codable {
    /// `iso4217/USD`, or `caip19/` and the token's CAIP-19 id.
    public var unit: String
    /// Minor units (cents, token units) in decimal digits.
    public var value: String
    /// The data for displaying it.
    public var display: AmountDisplay

    /// Creates an amount.
    public init(unit: String, value: String, display: AmountDisplay) {
        self.unit = unit
        self.value = value
        self.display = display
    }
}

/// The data for displaying an amount.
public struct AmountDisplay: Sendable, Hashable, Codable {
    /// `USDC`.
    public var assetSymbol: String
    /// `USD Coin`; empty when the service omits it.
    public var assetName: String
    /// The number of decimal places of the minor unit. The guides' type; the vendor's newer bindings use `Int32`.
    public var decimals: Int64
    /// A picture of the token.
    public var iconUrl: String?
    /// A picture of the network.
    public var networkIconUrl: String?
    /// `Base`.
    public var networkName: String?

    /// Creates a value.
    public init(
        assetSymbol: String, assetName: String, decimals: Int64, iconUrl: String? = nil, networkIconUrl: String? = nil,
        networkName: String? = nil
    ) {
        self.assetSymbol = assetSymbol
        self.assetName = assetName
        self.decimals = decimals
        self.iconUrl = iconUrl
        self.networkIconUrl = networkIconUrl
        self.networkName = networkName
    }
}

extension PayAmount {
    /// An empty amount in place of an unreadable one: a partial amount could be shown as another amount.
    static let unreadable = PayAmount(
        unit: "", value: "", display: AmountDisplay(assetSymbol: "", assetName: "", decimals: 0))

    init(_ body: AmountBody) {
        self.init(unit: body.unit, value: body.value, display: AmountDisplay(body.display))
    }
}

extension AmountDisplay {
    init(_ body: DisplayBody) {
        self.init(
            assetSymbol: body.assetSymbol, assetName: body.assetName, decimals: body.decimals, iconUrl: body.iconUrl,
            networkIconUrl: body.networkIconUrl, networkName: body.networkName)
    }
}

/// One action of the wallet for an option.
public struct Action: Sendable, Hashable {
    /// The wallet call.
    public var walletRpc: WalletRpcAction

    /// Creates an action.
    public init(walletRpc: WalletRpcAction) { self.walletRpc = walletRpc }
}

/// A wallet call.
public struct WalletRpcAction: Sendable, Hashable {
    /// The chain, CAIP-2: `eip155:8453`.
    public var chainId: String
    /// The method: `eth_signTypedData_v4`, `eth_sendTransaction`, `solana_signTransaction` and others.
    public var method: String
    /// The parameters as JSON text: an array, unless the service sent something else. For typed data:
    /// `["address", "{…typed data…}"]`.
    public var params: String

    /// Creates a call.
    public init(chainId: String, method: String, params: String) {
        self.chainId = chainId
        self.method = method
        self.params = params
    }

    /// Returns the account and the typed data of an `eth_signTypedData` call (any version).
    ///
    /// The typed data is JSON text, even if the service sent it as an object.
    ///
    /// - Throws: ``InvalidActionParametersError`` when this is another call or its parameters are malformed.
    public func typedDataParameters() throws -> (address: String, typedData: String) {
        guard method.hasPrefix("eth_signTypedData") else {
            throw InvalidActionParametersError(method: method, expected: "a call that signs typed data")
        }
        guard let list = try? JSONValue(parsing: params), let address = list[0]?.string, let data = list[1] else {
            throw InvalidActionParametersError(method: method, expected: "[address, typed data]")
        }
        switch data {
        case .string(let text) where (try? JSONValue(parsing: text))?.object != nil: return (address, text)
        case .object: return (address, data.text)
        default: throw InvalidActionParametersError(method: method, expected: "typed data that is a JSON object")
        }
    }
}

extension Action {
    /// Creates a call from the service's form; nil when it is malformed.
    init?(_ json: JSONValue) {
        guard let call = try? json.decode(WalletCallBody.self) else { return nil }
        self.init(
            walletRpc: WalletRpcAction(chainId: call.chainID, method: call.method, params: call.walletParams.text))
    }
}

/// An error for parameters of a wallet call that do not fit its method.
public struct InvalidActionParametersError: Error, Sendable, Hashable, LocalizedError, CustomStringConvertible {
    /// The call's method.
    public let method: String
    /// The expected parameters.
    public let expected: String

    /// One human-readable sentence; never the parameters themselves.
    public var description: String { "the parameters of \(method) cannot be used: expected \(expected)" }
    /// One human-readable sentence.
    public var errorDescription: String? { description }
}
