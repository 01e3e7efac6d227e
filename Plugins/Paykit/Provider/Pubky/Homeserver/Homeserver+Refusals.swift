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
        let (code, message): (PaykitNetworkError.Code, String) =
            switch (response.status, call) {
            case (409, .signUp): (.auth, "\(user) has an account at \(host) already: sign in instead")
            case (400, .signUp), (401, .signUp):
                (
                    .invalidCredentials,
                    "\(host) refused the sign-up: it wants a sign-up token that is unused, or a signature "
                        + "made within the last seconds; compare the device's clock"
                )
            case (400, .signIn), (401, .signIn):
                (
                    .invalidCredentials,
                    "\(host) refused the sign-in: the signature is too old or was used before; compare the "
                        + "device's clock and sign in again"
                )
            case (404, .signIn), (404, .session): (.notFound, "\(host) has no account of \(user): sign up first")
            case (403, .grants):
                (
                    .auth,
                    "\(host) shows other apps' capabilities only to a session that may do everything: "
                        + "sign in with '/:rw'"
                )
            case (409, .file):
                (
                    .validationFailed,
                    "\(host) has a directory where this file should be, or a file where its directory should"
                )
            case (401, _): (.sessionExpired, "the session at \(host) is over: sign in again")
            case (403, _): (.auth, "\(host) does not let this session write there: sign in with more capabilities")
            case (404, .file): (.notFound, "\(host) has no such file of \(user)")
            case (413, _): (.quotaExceeded, "the file is larger than \(host) takes")
            case (429, _): (.rateLimited, "\(host) wants fewer requests; ask again later")
            case (507, _): (.quotaExceeded, "\(host) has no room left for \(user): delete something")
            case (500..., _): (.transport, "\(host) failed (status \(response.status)); try again later")
            default: (.invalidData, "\(host) refused the request (status \(response.status))")
            }
        return PaykitNetworkError(code, message, retryAfter: code == .rateLimited ? response.retryAfter() : nil)
    }
}
