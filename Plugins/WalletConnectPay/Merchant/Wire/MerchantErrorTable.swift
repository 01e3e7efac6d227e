import PaymentCore
import WalletConnectPayProvider

/// What the service's refusals mean to a merchant, by code first; what means the same to a wallet stands in the
/// provider's table. (Protocol 8.)
enum MerchantErrorTable {
    /// The core's error for a failed call.
    ///
    /// - Parameter isMutation: whether the request could change something. Only some refusals prove that it did not.
    static func error(_ error: GatewayError, isMutation: Bool, at merchant: ProviderID) -> PaymentError {
        switch error {
        case .invalidRequest(let text):
            return PaymentError(.requestRefused, text, provider: merchant)
        case .afterOpenCopy(let last):
            let last = Self.error(last, isMutation: isMutation, at: merchant)
            return PaymentError(
                last.code, "\(last.message); it was sent before, and that may have arrived", provider: merchant,
                phase: .maybeSent, retry: last.retry, vendorCode: last.vendorCode)
        default: break
        }
        return ErrorTable.error(error, isMutation: isMutation, provider: merchant, meaning: meaning)
    }

    static func meaning(of refusal: Refusal) -> ErrorTable.Meaning {
        if let code = refusal.code, let meaning = byCode[code] { return meaning }
        if refusal.code == nil, let meaning = byStatus[refusal.status] { return meaning }
        return ErrorTable.meaning(of: refusal)
    }

    private static let byCode: [String: ErrorTable.Meaning] = [
        "not_found": (.notFound, "the service knows nothing of this name in this account"),
        "payment_expired": (.requestRefused, "the payment has expired; make another"),
        "invalid_state": (.requestRefused, "the payment is not in a state that allows this"),
        "payment_not_succeeded": (.requestRefused, "only payments that succeeded can be given back"),
        "already_refunded": (.requestRefused, "the payment was given back before"),
        "idempotency_conflict": (
            .requestRefused, "the idempotency key was used before with other data; take another key for another order"
        ),
        "missing_idempotency_key": (.requestRefused, "the idempotency key is missing"),
        "settlement_asset_conflict": (.requestRefused, "the merchant has a settlement in this asset; change that one"),
        "version_conflict": (.requestRefused, "somebody else changed this meanwhile; look at it again"),
        "merchant_not_found": (.notFound, "the service does not know this merchant in this account"),
        "merchant_exists": (.requestRefused, "there is such a merchant already"),
        "missing_merchant_id": (.unauthorized, "the merchant's id is missing"),
        "missing_merchant_api_key": (.unauthorized, "the API key is missing"),
        "api_key_not_found": (.unauthorized, "the service does not know the API key"),
        "partner_not_found": (.unauthorized, "the service does not know the account of the API key"),
        "customer_not_found": (.notFound, "the service does not know this customer"),
        "executor_not_found": (.serviceFailure, "the service cannot carry this out at the moment; try again later"),
        "bad_gateway": (.serviceFailure, "a part of the service does not answer; try again later"),
        "header_not_ascii": (.requestRefused, "a header field holds letters that are not ASCII; check key and ids"),
    ]

    /// Where there is no code. What these say to a wallet is about its payment.
    private static let byStatus: [Int: ErrorTable.Meaning] = [
        403: (.unauthorized, "the API key is good, and not for this (HTTP 403)"),
        404: (.notFound, "the service knows nothing of this name in this account (HTTP 404)"),
        409: (.requestRefused, "the request contradicts what the service has (HTTP 409)"),
        410: (.requestRefused, "the service has this no more (HTTP 410)"),
        422: (.requestRefused, "the service cannot take the request's data (HTTP 422)"),
    ]
}

/// Runs `work` and turns its failure into a merchant's error.
func asMerchant<Value>(
    _ merchant: ProviderID, isMutation: Bool = false, _ work: () async throws(GatewayError) -> Value
) async throws(PaymentError) -> Value {
    do { return try await work() } catch {
        throw MerchantErrorTable.error(error, isMutation: isMutation, at: merchant)
    }
}
