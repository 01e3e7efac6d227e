/// The proof value of the status of an answer to a mutation. This is the only place that defines it.
///
/// An answer proves that nothing was done only where its meaning (RFC 9110 section 15, RFC 6585, RFC 7725) is that this
/// very request was looked at and turned away. Every other status leaves the fate of the request open, and only the
/// service's status of the payment resolves it:
///
/// - 408: some of the request arrived, and the server that waited for the rest may not be the one that carries it out.
/// - 409, 412, 423, 424: something else is in its way, which may be another copy of the same request, still in
///   progress. Services that recognise keys answer 409 for that.
/// - 425 (RFC 8470): an intermediary suspects that the request is replayed.
/// - 429: is about the rate of requests, not about the fate of those that came before; gateways answer it to a copy
///   that they make themselves.
/// - 406, 416: may be found out after the request was carried out.
/// - 1xx, 3xx, 5xx and every status not listed: say nothing of it. A redirect often follows a request that was carried
///   out.
/// - 2xx: the request was taken; the body states its outcome.
package enum RefusalStatus {
    /// The statuses that prove that the server turned away exactly the request that they answer.
    package static let provesNothingWasDone: Set<Int> = [
        400, 401, 402, 403, 404, 405, 407, 410, 411, 413, 414, 415, 417, 421, 422, 426, 428, 431, 451,
    ]
}

extension HTTPResponse {
    /// True if this answer to a mutation proves that the mutation was not carried out: its status says so, and there
    /// was no earlier copy of the request that may have been (``mayFollowEarlierCopy``).
    public var provesNothingWasDone: Bool {
        RefusalStatus.provesNothingWasDone.contains(status) && !mayFollowEarlierCopy
    }
}

extension PaymentError {
    /// Creates an error for an answer that is no result, by its HTTP status alone. For services without error codes;
    /// for codes that say more, build your own from ``HTTPResponse/provesNothingWasDone``. The
    /// answer's time to try again (`Retry-After`) is kept in ``PaymentError/retry``.
    ///
    /// - Parameters:
    ///   - answer: the service's answer.
    ///   - provider: the provider whose service it is.
    ///   - isMutation: true if the request could move money. The phase is then `maybeSent`, unless the answer proves
    ///     that nothing was done.
    public init(_ answer: HTTPResponse, provider: ProviderID?, isMutation: Bool) {
        let (code, text) = Self.meaning(of: answer.status, by: "the service")
        let isOpen = isMutation && !answer.provesNothingWasDone
        let isPassing = isOpen || code == .rateLimited || code == .serviceFailure
        self.init(
            code, text, provider: provider, phase: isOpen ? .maybeSent : .answered,
            retry: isPassing ? RetryAdvice(answer) : .never)
    }

    /// Returns the code of a status that is no result, and what it says of `service`, for people.
    package static func meaning(of status: Int, by service: String) -> (code: Code, text: String) {
        switch status {
        case 401, 403, 407: (.unauthorized, "\(service) does not accept the credentials (HTTP \(status))")
        case 404, 410: (.notFound, "\(service) does not know this, or not any more (HTTP \(status))")
        case 429: (.rateLimited, "\(service) asks for fewer requests (HTTP 429); try again later")
        case 400..<500: (.requestRefused, "\(service) refused the request (HTTP \(status))")
        case 500..<600: (.serviceFailure, "\(service) has a fault (HTTP \(status)); try again later")
        case 300..<400: (.invalidResponse, "\(service) redirects elsewhere, which is never followed (HTTP \(status))")
        default: (.invalidResponse, "\(service) gave an answer that was not asked for (HTTP \(status))")
        }
    }
}
