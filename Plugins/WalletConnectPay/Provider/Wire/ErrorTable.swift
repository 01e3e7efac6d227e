import PaymentCore
package import ServiceSupport

extension ErrorTable {
    /// WalletConnect Pay's error codes, for a wallet's payment.
    package static let walletConnectPay = ErrorTable(
        byCode: [
            "payment_not_found": (.notFound, "the service does not know this payment"),
            "payment_expired": (.requestRefused, "the payment has expired; ask the merchant for a new link"),
            "quote_expired": (.requestRefused, "the price of the option has expired; ask for the options again"),
            "invalid_state": (.requestRefused, "the payment is not in a state that allows this"),
            "params_validation": (.requestRefused, "the service refused the request's data"),
            "invalid_params": (.requestRefused, "the service refused the request's data"),
            "sanctioned_user": (.payerRefused, "the service declines this payer"),
            "rate_limited": (.rateLimited, "the service asks for fewer requests; try again later"),
            "internal_error": (.serviceFailure, "the service has a fault; try again later"),
            "missing_auth_headers": (.unauthorized, "the service wants an API key or an app id"),
            "conflicting_auth_headers": (.unauthorized, "an API key and an app id were both sent"),
            "missing_app_id": (.unauthorized, "the app id is missing"),
            "missing_client_id": (.unauthorized, "the client id is missing"),
            "invalid_app_id": (.unauthorized, "the app id is not accepted"),
            "missing_api_key": (.unauthorized, "the API key is missing"),
            "invalid_api_key": (.unauthorized, "the API key is not accepted"),
            "unauthorized": (.unauthorized, "the service does not accept the credentials"),
            "forbidden": (.unauthorized, "the credentials do not allow this"),
            "not_sandbox_api_key": (.unauthorized, "the API key is not one for test payments"),
            "header_not_ascii": (
                .requestRefused, "a credential holds letters that are not ASCII; check the app id or API key"
            ),
            "invalid_api_version": (.unsupported, outdated),
            "unknown_api_version": (.unsupported, outdated),
            "api_version_downgrade": (.unsupported, outdated),
            "wallet_not_found": (.unauthorized, "the service does not know this wallet; check the app id or API key"),
        ],
        byStatus: [
            404: (.notFound, "the service does not know this payment (HTTP 404)"),
            409: (.requestRefused, "the payment or its price has expired (HTTP 409)"),
            410: (.requestRefused, "the payment or its price has expired (HTTP 410)"),
            422: (.requestRefused, "the service did not accept the signature or account (HTTP 422)"),
            451: (.payerRefused, "the service declines this payer (HTTP 451)"),
        ])

    private static let outdated = "the service does not take this version of its API any more; update this software"
}

extension ErrorAnswer.Detail {
    /// The human-readable text.
    var text: String {
        switch self {
        case .dataRequired: "the option asks for data about the payer; hand it in first, then ask for the actions"
        case .optionNotFound: "the payment has no such option; ask for the options again"
        case .resultMissing: "there are fewer results than actions; hand in one for each, in order"
        }
    }
}
