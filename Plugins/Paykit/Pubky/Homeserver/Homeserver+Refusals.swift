import PaymentCore

/// The meanings of a homeserver's refusals (Protocol 3.4 and 3.5).
extension Homeserver {
    enum Call {
        case signUp
        case signIn
        case session
        case file
        case grants
    }

    /// Maps a refusal to an error. The server's text is not included: it may repeat what was sent.
    func refusal(_ response: HTTPResponse, of user: PubkyKey, _ call: Call) -> PaykitNetworkError {
        let host = url.host
        switch (response.status, call) {
        case (409, .signUp):
            return PaykitNetworkError(.auth, "\(user) has an account at \(host) already: sign in instead")
        case (400, .signUp), (401, .signUp):
            return PaykitNetworkError(
                .invalidCredentials,
                "\(host) refused the sign-up: it wants a sign-up token that is unused, or a signature "
                    + "made within the last seconds; compare the device's clock")
        case (400, .signIn), (401, .signIn):
            return PaykitNetworkError(
                .invalidCredentials,
                "\(host) refused the sign-in: the signature is too old or was used before; compare the "
                    + "device's clock and sign in again")
        case (404, .signIn), (404, .session):
            return PaykitNetworkError(.notFound, "\(host) has no account of \(user): sign up first")
        case (403, .grants):
            return PaykitNetworkError(
                .auth,
                "\(host) shows other apps' capabilities only to a session that may do everything: sign in with '/:rw'"
            )
        case (409, .file):
            return PaykitNetworkError(
                .validationFailed,
                "\(host) has a directory where this file should be, or a file where its directory should")
        case (401, _): return PaykitNetworkError(.sessionExpired, "the session at \(host) is over: sign in again")
        case (403, _):
            return PaykitNetworkError(
                .auth, "\(host) does not let this session write there: sign in with more capabilities")
        case (404, .file): return PaykitNetworkError(.notFound, "\(host) has no such file of \(user)")
        case (413, _): return PaykitNetworkError(.quotaExceeded, "the file is larger than \(host) takes")
        case (429, _):
            return PaykitNetworkError(
                .rateLimited, "\(host) wants fewer requests; ask again later", retryAfter: response.retryAfter())
        case (507, _):
            return PaykitNetworkError(.quotaExceeded, "\(host) has no room left for \(user): delete something")
        case (500..., _):
            return PaykitNetworkError(.transport, "\(host) failed (status \(response.status)); try again later")
        default: return PaykitNetworkError(.invalidData, "\(host) refused the request (status \(response.status))")
        }
    }
}
