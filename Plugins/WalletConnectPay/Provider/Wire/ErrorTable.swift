package import PaymentCore
import PaymentReview

/// What the service's refusals mean, by code first and by HTTP status where the code says nothing.
package enum ErrorTable {
    /// A kind of error and its text for people.
    package typealias Meaning = (code: PaymentError.Code, text: String)

    /// The core's error for a failed call.
    ///
    /// - Parameters:
    ///   - isMutation: whether the request could move money. Only some refusals prove that it did not.
    ///   - meaning: what a refusal means to who asked.
    package static func error(
        _ error: GatewayError, isMutation: Bool, provider: ProviderID,
        meaning: (Refusal) -> Meaning = Self.meaning
    ) -> PaymentError {
        switch error {
        case .refused(let refusal):
            let (code, text) = meaning(refusal)
            return PaymentError(
                code, text, provider: provider,
                phase: refusal.provesNothingWasDone || !isMutation ? .answered : .maybeSent,
                retry: code == .rateLimited || code == .serviceFailure ? refusal.retry : .never,
                vendorCode: refusal.code)
        case .transport(let error):
            return PaymentError(error, provider: provider, isMutation: isMutation)
        case .unusableAnswer(let text):
            return PaymentError(
                .invalidResponse, text, provider: provider, phase: isMutation ? .maybeSent : .answered, retry: .later)
        case .unsupported(let text):
            return PaymentError(.unsupported, text, provider: provider, phase: .answered)
        case .invalidRequest(let text):
            return PaymentError(.rejectedLink, text, provider: provider)
        case .unknownOption, .unnamedPayment:
            return PaymentError(.unusableOption, error.text, provider: provider)
        case .dangerousCalls(let refusal):
            return PaymentError(.integrity, refusal.description, provider: provider)
        case .cancelled(let mayHaveArrived):
            return PaymentError(
                .cancelled, error.text, provider: provider,
                phase: isMutation && mayHaveArrived ? .maybeSent : .beforeSend)
        case .afterOpenCopy(let last):
            let last = Self.error(last, isMutation: isMutation, provider: provider)
            return PaymentError(
                last.code, error.text, provider: provider, phase: .maybeSent, retry: last.retry,
                vendorCode: last.vendorCode)
        }
    }

    /// The kind of error and its text for people.
    package static func meaning(of refusal: Refusal) -> Meaning {
        if let detail = refusal.detail, refusal.isRefusal { return (.requestRefused, text(of: detail)) }
        return refusal.code.flatMap { byCode[$0] } ?? byStatus(refusal.status)
    }

    private static func text(of detail: Refusal.Detail) -> String {
        switch detail {
        case .dataRequired: "the option asks for data about the payer; hand it in first, then ask for the actions"
        case .optionNotFound: "the payment has no such option; ask for the options again"
        case .resultMissing: "there are fewer results than actions; hand in one for each, in order"
        }
    }

    private static let byCode: [String: Meaning] = [
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
    ]

    private static let outdated = "the service does not take this version of its API any more; update this software"

    private static func byStatus(_ status: Int) -> Meaning {
        switch status {
        case 401, 403: (.unauthorized, "the service does not accept the credentials (HTTP \(status))")
        case 404: (.notFound, "the service does not know this payment (HTTP 404)")
        case 409, 410: (.requestRefused, "the payment or its price has expired (HTTP \(status))")
        case 422: (.requestRefused, "the service did not accept the signature or account (HTTP 422)")
        case 451: (.payerRefused, "the service declines this payer (HTTP 451)")
        case 429: (.rateLimited, "the service asks for fewer requests (HTTP 429); try again later")
        case 400..<500: (.requestRefused, "the service refused the request (HTTP \(status))")
        case 500..<600: (.serviceFailure, "the service has a fault (HTTP \(status)); try again later")
        case 300..<400: (.invalidResponse, "the service redirects to another address, which is never followed")
        default: (.invalidResponse, "the service answered with HTTP \(status)")
        }
    }
}
