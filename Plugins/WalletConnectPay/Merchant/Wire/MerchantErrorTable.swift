import PaymentCore
import ServiceSupport
import WalletConnectPayProvider

extension ErrorTable {
    /// WalletConnect Pay's error codes for a merchant's calls; codes with the same meaning for a wallet are in the
    /// provider's table. (Protocol 8.)
    static let walletConnectPayMerchant = walletConnectPay.adding(
        byCode: [
            "not_found": (.notFound, "the service knows nothing of this name in this account"),
            "payment_expired": (.requestRefused, "the payment has expired; make another"),
            "invalid_state": (.requestRefused, "the payment is not in a state that allows this"),
            "payment_not_succeeded": (.requestRefused, "only payments that succeeded can be refunded"),
            "already_refunded": (.requestRefused, "the payment was refunded before"),
            "idempotency_conflict": (
                .requestRefused,
                "the idempotency key was used before with other data; take another key for another order"
            ),
            "missing_idempotency_key": (.requestRefused, "the idempotency key is missing"),
            "settlement_asset_conflict": (
                .requestRefused, "the merchant has a settlement in this asset; change that one"
            ),
            "version_conflict": (.requestRefused, "another client changed this meanwhile; read it again"),
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
        ],
        byStatus: [
            403: (.unauthorized, "the API key is good, and not for this (HTTP 403)"),
            404: (.notFound, "the service knows nothing of this name in this account (HTTP 404)"),
            409: (.requestRefused, "the request contradicts what the service has (HTTP 409)"),
            410: (.requestRefused, "the service has this no more (HTTP 410)"),
            422: (.requestRefused, "the service cannot take the request's data (HTTP 422)"),
        ], unsendable: .requestRefused)
}

/// Runs `work` and maps its failure to a merchant's error.
func asMerchant<Value>(
    _ merchant: ProviderID, isMutation: Bool = false, _ work: () async throws(GatewayError) -> Value
) async throws(PaymentError) -> Value {
    do { return try await work() } catch {
        throw ErrorTable.walletConnectPayMerchant.paymentError(from: error, isMutation: isMutation, at: merchant)
    }
}
