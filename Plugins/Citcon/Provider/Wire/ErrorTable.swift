package import PaymentCore

/// What the service's refusals mean, by code first and by HTTP status where the code says nothing. The service's own texts
/// are not repeated: they may hold what was sent.
package enum ErrorTable {
    /// The core's error for a failed call.
    ///
    /// - Parameter isMutation: whether the request could move money, or comes after one that could. A fault of the
    ///   service then leaves that open, and so does a refusal that may be the answer to the second copy of a request
    ///   whose first copy was carried out (``CitconRefusal/provesNothingWasDone``).
    package static func error(_ error: CitconCallError, isMutation: Bool, at provider: ProviderID) -> PaymentError {
        switch error {
        case .refused(let refusal):
            let (code, text) = meaning(of: refusal)
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
        case .invalidRequest(let text):
            // This request did not leave; what it was to ask about may have.
            return PaymentError(.rejectedLink, text, provider: provider, phase: isMutation ? .maybeSent : .beforeSend)
        }
    }

    /// The core's error for a question about a charge that was sent: its refusal says nothing about the charge.
    package static func afterSending(_ error: CitconCallError, at provider: ProviderID) -> PaymentError {
        var error = Self.error(error, isMutation: false, at: provider)
        error.phase = .maybeSent
        return error
    }

    /// The kind of error and its text for people.
    package static func meaning(of refusal: CitconRefusal) -> (code: PaymentError.Code, text: String) {
        refusal.code.flatMap { byCode[$0] } ?? byStatus(refusal.status)
    }

    package static let byCode: [String: (code: PaymentError.Code, text: String)] = [
        "4000": (.requestRefused, "the service refused the request; the charge may be over already (4000)"),
        "4010": (.unauthorized, "the service does not accept the access token; it may have expired (4010)"),
        "4100": (
            .requestRefused, "the reference was used before; ask for the charge instead of making it again (4100)"
        ),
        "4101": (.serviceFailure, "the service has a fault (4101)"),
        "4102": (.requestRefused, "the service refused the request's header (4102)"),
        "4103": (.notFound, "the service does not know this charge (4103)"),
        "4105": (.serviceFailure, "the gateway did not answer in time (4105)"),
        "4106": (.serviceFailure, "the gateway cannot be reached (4106)"),
        "4107": (.serviceFailure, "the gateway has a fault (4107)"),
        "4202": (.requestRefused, "the charge cannot be refunded (4202)"),
        "4208": (.requestRefused, "the charge cannot be refunded in part (4208)"),
        "5100": (.serviceFailure, "the service has a fault (5100)"),
        "5200": (.unsupported, "no gateway of the merchant serves this payment method (5200)"),
    ]

    private static func byStatus(_ status: Int) -> (code: PaymentError.Code, text: String) {
        switch status {
        case 401, 403: (.unauthorized, "the service does not accept the access token (HTTP \(status))")
        case 404: (.notFound, "the service does not know this charge (HTTP 404)")
        case 429: (.rateLimited, "the service asks for fewer requests (HTTP 429); try again later")
        case 400..<500: (.requestRefused, "the service refused the request (HTTP \(status))")
        case 500..<600: (.serviceFailure, "the service has a fault (HTTP \(status)); try again later")
        case 300..<400: (.invalidResponse, "the service redirects to another address, which is never followed")
        case 200..<300: (.requestRefused, "the service refused the request without a reason")
        default: (.invalidResponse, "the service answered with HTTP \(status)")
        }
    }
}

extension TransactionFields {
    /// What this transaction's state means. A word that is not known is never success or failure.
    ///
    /// - Parameters:
    ///   - terms: what the payer agreed to: an ending is believed only of a charge over just this. Where nobody knows the
    ///     amount, only the reference is compared, and a success has to say what was paid.
    ///   - payment: what the payment is called here.
    /// - Throws: ``PaymentError`` when it is about another charge or another amount than agreed.
    package func outcome(of payment: PaymentReference, over terms: ChargeTerms) throws(PaymentError) -> PaymentOutcome {
        func wrong(_ message: String) -> PaymentError {
            PaymentError(.integrity, message, provider: payment.provider, phase: .maybeSent)
        }
        guard reference == terms.reference else { throw wrong("the service's answer is about another charge") }
        if terms.amount != nil, state?.isSettled == true, let member = terms.difference(from: self) {
            throw wrong("the service states another '\(member)' than was agreed, or none that can be read")
        }
        switch state {
        case .succeeded, .authorized:
            guard let paid = money else {
                return .unknown(
                    UnknownOutcome(
                        reference: payment, rawStatus: state?.rawValue,
                        message: "the service calls it paid, but does not say how much was"))
            }
            return .succeeded(
                PaymentReceipt(reference: payment, amount: paid, transactionID: id.flatMap(Self.plainID)))
        case .failed:
            return .declined(DeclineReason(.refused, "the service reports that the payment failed"))
        case .canceled: return .cancelled
        case .expired: return .expired
        case .initiated, .pending: return .pending(retryAfter: nil)
        case .unknown(let word):
            return .unknown(
                UnknownOutcome(
                    reference: payment, rawStatus: Self.printable(word),
                    message: "the service reports a state that this version does not know"))
        case nil:
            return .unknown(
                UnknownOutcome(reference: payment, message: "the service does not state the charge's state"))
        }
    }

    /// A foreign word cut to what may be shown: states are words, without digits.
    private static func printable(_ text: String) -> String {
        String(
            decoding: text.utf8.prefix(40).map { $0.isASCIILetter || "_- ".utf8.contains($0) ? $0 : UInt8(ascii: "?") },
            as: UTF8.self)
    }

    /// An id as the service gives them; nil for anything else.
    private static func plainID(_ text: String) -> String? {
        let isPlain = text.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || "_-.".utf8.contains($0) }
        return isPlain && (1...64).contains(text.utf8.count) ? text : nil
    }
}
