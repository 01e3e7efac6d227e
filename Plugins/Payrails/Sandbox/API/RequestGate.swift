import PaymentCore
import PaymentCrypto
import SandboxSupport

/// The requirements of every call, and the answers to repeated requests.
extension PayrailsSandbox {
    /// Returns the JSON object in the body.
    func object(_ request: HTTPRequest) throws(PayrailsSandboxError) -> JSONValue {
        guard request.mediaType == "application/json",
            let body = try? JSONValue(parsing: request.body), body.object != nil
        else { throw .notJSON }
        return body
    }

    /// Accepts a client's request only with the token of its session.
    func requireClient(_ request: HTTPRequest, _ execution: Execution) throws(PayrailsSandboxError) {
        guard let token = execution.token, token.expiresAt > now, let sent = bearer(request),
            ConstantTime.equal(Array(sent.utf8), Array(token.text.utf8))
        else { throw .unauthorized }
    }

    /// Returns the holder of the session that the request's token belongs to.
    func holder(of request: HTTPRequest) throws(PayrailsSandboxError) -> String {
        let now = now
        guard let sent = bearer(request) else { throw .unauthorized }
        func isSent(_ token: (text: String, expiresAt: Timestamp)?) -> Bool {
            token.map { $0.text == sent && $0.expiresAt > now } ?? false
        }
        if let execution = executions.values.first(where: { isSent($0.token) }) { return execution.holder }
        if let session = tokenizations.values.first(where: { isSent($0.token) }) { return session.holder }
        throw .unauthorized
    }

    /// Returns the session for storing cards that the request's token belongs to.
    func tokenization(of request: HTTPRequest) throws(PayrailsSandboxError) -> Tokenization {
        let now = now
        guard let sent = bearer(request),
            let session = tokenizations.values.first(where: { session in
                session.token.map { $0.text == sent && $0.expiresAt > now } ?? false
            })
        else { throw .unauthorized }
        return session
    }

    /// Accepts a merchant's request only with a valid access token.
    func requireMerchant(_ request: HTTPRequest) throws(PayrailsSandboxError) {
        guard let token = bearer(request), let end = accessTokens[token], end > now else { throw .unauthorized }
    }

    private func bearer(_ request: HTTPRequest) -> String? {
        guard let value = request.headers["Authorization"], value.hasPrefix("Bearer ") else { return nil }
        return String(value.dropFirst("Bearer ".count))
    }

    /// Returns the earlier answer to the same key at the same address, or the answer made now.
    ///
    /// Refusals are not stored: a corrected request may come with the same key.
    func once(
        _ request: HTTPRequest, _ make: () throws(PayrailsSandboxError) -> HTTPResponse
    ) throws(PayrailsSandboxError) -> HTTPResponse {
        guard let key = request.headers["x-idempotency-key"], !key.isEmpty else { throw .keyMissing }
        let name = "\(request.method.rawValue) \(request.url.path) \(key)"
        if let earlier = answers[name] { return earlier }
        let answer = try make()
        answers[name] = answer
        return answer
    }

    /// Returns the error that the execution's scenario has in place of an answer to `call`; nil if it has none.
    func fault(_ call: Scenario.Plan.Call, _ id: String) -> HTTPResponse? {
        guard let execution = executions[id], let fault = execution.scenario.plan.fault, fault.call == call,
            execution.faults < fault.times
        else { return nil }
        // Reads before the request to pay are outside the scenario.
        guard call != .read || execution.tender != nil else { return nil }
        executions[id]?.faults += 1
        switch fault.kind {
        case .unauthorized:
            expireSession(id)
            return PayrailsSandboxError.unauthorized.response(random)
        case .serverError: return PayrailsSandboxError.internalError.response(random)
        case .invalid:
            return PayrailsSandboxError.invalid("paymentComposition", "is not accepted for this workflow").response(
                random)
        case .withheld: return PayrailsSandboxError.withheld.response(random)
        case .garbage:
            return HTTPResponse(
                status: 200, headers: ["Content-Type": "text/html"], body: Array("<html>Please wait</html>".utf8))
        }
    }
}
