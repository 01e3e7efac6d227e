package import PaymentCore
package import ServiceSupport

extension ErrorTable {
    /// Citcon's error codes (Protocol 6).
    package static let citcon = ErrorTable(
        byCode: [
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
        ],
        byStatus: [
            401: (.unauthorized, "the service does not accept the access token (HTTP 401)"),
            403: (.unauthorized, "the service does not accept the access token (HTTP 403)"),
            404: (.notFound, "the service does not know this charge (HTTP 404)"),
        ], ofSuccess: (.requestRefused, "the service refused the request without a reason"))
}

extension TransactionFields {
    /// Returns the report for this transaction's state. An unknown state is never success or failure.
    ///
    /// - Parameters:
    ///   - terms: the terms that the payer agreed to: a final state counts only for a charge over exactly these. If the
    ///     amount is unknown, only the reference is compared, and a success has to state the paid amount.
    ///   - payment: the reference of the payment here.
    /// - Throws: ``PaymentError`` when it is about another charge or another amount than agreed.
    package func report(of payment: PaymentReference, over terms: ChargeTerms) throws(PaymentError) -> ServiceReport {
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

    /// Returns foreign text, cut and made printable: states are words, without digits.
    private static func printable(_ text: String) -> String {
        String(
            decoding: text.utf8.prefix(40).map { $0.isASCIILetter || "_- ".utf8.contains($0) ? $0 : UInt8(ascii: "?") },
            as: UTF8.self)
    }

    /// Returns an id in the service's format; nil for anything else.
    private static func plainID(_ text: String) -> String? {
        let isPlain = text.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || "_-.".utf8.contains($0) }
        return isPlain && (1...64).contains(text.utf8.count) ? text : nil
    }
}
