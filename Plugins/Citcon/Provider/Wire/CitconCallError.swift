package import PaymentCore
package import ServiceSupport

/// Why a call to the service has no result. The client and the provider map it to their own errors.
package enum CitconCallError: Error, Sendable, Hashable {
    /// The service answered with a refusal or a fault.
    case refused(CitconErrorResponse)
    /// There is no complete answer.
    case transport(TransportError)
    /// The answer cannot be understood. The text names the place.
    case unusableAnswer(String)
    /// The call cannot be sent as it is.
    case invalidRequest(String)
}

extension CitconCallError: ServiceCallError {
    /// The form of this error for the shared error table.
    package var failedCall: FailedCall {
        switch self {
        case .refused(let refusal): .refused(refusal)
        case .transport(let error): .transport(error)
        case .unusableAnswer(let text): .unusableAnswer(text)
        // This request was not sent, but the request that it inquires about may have been.
        case .invalidRequest(let text): .other(.rejectedLink, text, phase: .beforeSend, ifMutation: .maybeSent)
        }
    }
}

/// An answer that is not a result.
package struct CitconErrorResponse: Sendable, Hashable, RefusedAnswer {
    /// The HTTP status.
    package let status: Int
    /// The service's code, if it has the form of a code.
    package let code: String?
    /// The code, for lookup in error tables.
    package var codes: [String] { code.map { [$0] } ?? [] }
    /// The service's own text. Shown only to the merchant's application, as the vendor's SDK does: it may repeat sent
    /// values.
    package let message: String?
    /// The wait that the service requests before the next try.
    package let retry: PaymentError.RetryAdvice

    package init(_ response: HTTPResponse, _ envelope: Envelope?) {
        status = response.status
        retry = PaymentError.RetryAdvice(response)
        let fields = envelope.map { TransactionFields($0.data) }
        let code = fields?.code ?? ""
        let isPlain = code.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || $0 == 0x5F || $0 == 0x2D }
        self.code = !code.isEmpty && code.utf8.count <= 24 && isPlain ? code : nil
        message = fields?.message
    }

    /// True if the service examined the request and did not carry it out. False for faults on its side: the effect is
    /// then unknown.
    package var isRejection: Bool {
        (400..<500).contains(status) && status != 408
    }

    /// True if every copy of the request must have got this answer, so none of them can have been carried out.
    ///
    /// A network may deliver a request twice. A charge that one copy has confirmed refuses the next ("bad request",
    /// "duplicate request", "not found"), and only that answer may arrive. Proof is an error that the service detects
    /// before it reads the charge, and would have detected a moment earlier: the credentials, the header, the form.
    package var provesNothingWasDone: Bool {
        guard isRejection else { return false }
        if let code { return code == "4010" || code == "4102" }
        return [401, 403, 405, 411, 413, 414, 415, 431].contains(status)
    }
}

extension CitconCallError {
    /// True if the request of this error, were it a mutation, may have been carried out.
    package var leavesFateOpen: Bool {
        switch self {
        case .refused(let refusal): !refusal.isRejection
        case .transport(let error): error.phase == .maybeSent
        case .unusableAnswer: true
        case .invalidRequest: false
        }
    }

    /// True if this refuses one copy of a request and another copy may have been carried out.
    package var mayFollowItsOwnEffect: Bool {
        guard case .refused(let refusal) = self else { return false }
        return refusal.isRejection && !refusal.provesNothingWasDone
    }

    /// True if the service does not know the requested object.
    package var isNotFound: Bool {
        guard case .refused(let refusal) = self else { return false }
        return refusal.status == 404
    }

    /// The code that the vendor's client returns.
    package var clientCode: String {
        switch self {
        case .refused(let refusal): refusal.code ?? VendorCode.failure
        case .unusableAnswer: VendorCode.cancelled
        case .transport, .invalidRequest: VendorCode.failure
        }
    }

    /// The message that the vendor's client returns.
    package var clientMessage: String {
        switch self {
        case .refused(let refusal): refusal.message ?? VendorText.unknown
        case .unusableAnswer(let text): VendorText.undecodable + text
        case .transport(let error): "\(VendorText.unknown): \(error)"
        case .invalidRequest(let text): "\(VendorText.unknown): \(text)"
        }
    }
}

// MARK: - Error codes

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
