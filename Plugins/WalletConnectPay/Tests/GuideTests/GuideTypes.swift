// swift-format-ignore-file
// What the vendor's two guides print about types, calls, states and errors, asked of the kit. It must compile.

import WalletConnectPayKit

/// What the guides' sections about data types, and their tables, print, asked of the kit's own. A comment like the next
/// one says which of the guides' blocks follow.
enum GuideTypes {
    // Standalone 16, WalletKit 15
    static func members(of value: PaymentOptionsResponse) {
        let _: String = value.paymentId
        let _: PaymentInfo? = value.info
        let _: [PaymentOption] = value.options
        let _: CollectDataAction? = value.collectData
        let _: PaymentResultInfo? = value.resultInfo
    }

    static func members(of value: PaymentResultInfo) {
        let _: String = value.txId
        let _: PayAmount = value.optionAmount
    }

    // Standalone 17, WalletKit 16
    static func members(of value: PaymentInfo) {
        let _: PaymentStatus = value.status
        let _: PayAmount = value.amount
        let _: Int64 = value.expiresAt
        let _: MerchantInfo = value.merchant
        let _: BuyerInfo? = value.buyer
    }

    // Standalone 18, WalletKit 17
    static func members(of value: PaymentOption) {
        let _: String = value.id
        let _: PayAmount = value.amount
        let _: Int64 = value.etaS
        let _: [Action] = value.actions
        let _: CollectDataAction? = value.collectData
    }

    // Standalone 19, WalletKit 18
    static func members(of value: PayAmount) {
        let _: String = value.unit
        let _: String = value.value
        let _: AmountDisplay = value.display
    }

    static func members(of value: AmountDisplay) {
        let _: String = value.assetSymbol
        let _: String = value.assetName
        let _: Int64 = value.decimals
        let _: String? = value.iconUrl
        let _: String? = value.networkName
    }

    // Standalone 20, WalletKit 19
    static func members(of value: Action) {
        let _: WalletRpcAction = value.walletRpc
    }

    static func members(of value: WalletRpcAction) {
        let _: String = value.chainId
        let _: String = value.method
        let _: String = value.params
    }

    // Standalone 21, WalletKit 20
    static func members(of value: CollectDataAction) {
        let _: [CollectDataField] = value.fields
        let _: String? = value.url  // Printed without "?", and used with "if let".
        let _: String? = value.schema
    }

    static func members(of value: CollectDataField) {
        let _: String = value.id
        let _: String = value.name
        let _: Bool = value.required
        let _: CollectDataFieldType = value.fieldType
    }

    static func members(of value: CollectDataFieldResult) {
        let _: String = value.id
        let _: String = value.value
    }

    static func word(for type: CollectDataFieldType) -> String {
        switch type {
        case .text: "text"
        case .date: "date"
        }
    }

    // Standalone 22, WalletKit 21, WalletKit 22
    static func members(of value: ConfirmPaymentResultResponse) {
        let _: PaymentStatus = value.status
        let _: Bool = value.isFinal
        let _: Int64? = value.pollInMs
    }

    static func word(for status: PaymentStatus) -> String {
        switch status {
        case .requiresAction: "requiresAction"
        case .processing: "processing"
        case .succeeded: "succeeded"
        case .failed: "failed"
        case .expired: "expired"
        }
    }

    // Standalone 23
    static func members(of value: MerchantInfo) {
        let _: String = value.name
        let _: String? = value.iconUrl
    }

    // Standalone: the tables of methods of both guides
    static func calls(of client: PayClient) {
        let _: (String, [String], Bool) async throws -> PaymentOptionsResponse =
            client.getPaymentOptions(paymentLink:accounts:includePaymentInfo:)
        let _: (String, String) async throws -> [Action] = client.getRequiredPaymentActions(paymentId:optionId:)
        let _: (String, String, [String], [CollectDataFieldResult]?, Int64?) async throws
            -> ConfirmPaymentResultResponse =
            client.confirmPayment(paymentId:optionId:signatures:collectedData:maxPollMs:)
        let _: (String?, String?, String, Bool) -> Void =
            WalletConnectPay.configure(apiKey:appId:baseUrl:logging:)
        let _: (AppMetadata, any CryptoProvider, Bool) -> Void = WalletKit.configure(metadata:crypto:payLogging:)

        // Of the second guide alone.
        let _: PayNamespace = client
        let _: (String) -> Bool = WalletKit.isPaymentLink(_:)
        let _: (String) -> Bool = client.isPaymentLink(_:)
        let _: (String, String, [String], Int64?) async throws -> ConfirmPaymentResultResponse =
            client.confirmPayment(paymentId:optionId:signatures:maxPollMs:)
    }

    // WalletKit: the tables of errors
    static func word(for error: GetPaymentOptionsError) -> String {
        switch error {
        case .paymentNotFound: "Payment ID doesn't exist"
        case .paymentExpired: "Payment has expired"
        case .invalidRequest: "Invalid request parameters"
        case .invalidAccount: "Invalid account format"
        case .complianceFailed: "Compliance check failed"
        case .http: "Network error"
        case .internalError: "Server error"
        }
    }

    static func word(for error: GetPaymentRequestError) -> String {
        switch error {
        case .optionNotFound: "Selected option doesn't exist"
        case .paymentNotFound: "Payment ID doesn't exist"
        case .invalidAccount: "Invalid account format"
        case .http: "Network error"
        }
    }

    static func word(for error: ConfirmPaymentError) -> String {
        switch error {
        case .paymentNotFound: "Payment ID doesn't exist"
        case .paymentExpired: "Payment has expired"
        case .invalidOption: "Invalid option ID"
        case .invalidSignature: "Signature verification failed"
        case .routeExpired: "Payment route expired"
        case .http: "Network error"
        }
    }
}
