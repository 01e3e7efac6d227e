import PaymentCore
import PaymentCrypto
import SandboxSupport

/// The calls of merchants' servers.
extension PayrailsSandbox {
    /// Issues an access token, `POST /auth/token/{clientId}` with the secret in `x-api-key`.
    func accessToken(_ request: HTTPRequest, _ client: String) throws(PayrailsSandboxError) -> HTTPResponse {
        guard request.method == .post else { throw .wrongMethod }
        let secret = Array(configuration.clientSecret.reveal().utf8)
        guard client == configuration.clientID,
            ConstantTime.equal(Array((request.headers["x-api-key"] ?? "").utf8), secret)
        else {
            // As OAuth's token services answer (RFC 6749, 5.2), in no envelope.
            return .json(
                ["error": "invalid_client", "error_description": "the client id or its secret is wrong"], status: 401)
        }
        let token = "access-" + random.hex(40)
        accessTokens[token] = now + .seconds(configuration.accessTokenLifetime)
        return .json([
            "access_token": .string(token), "token_type": "Bearer",
            "expires_in": .number(JSONNumber(configuration.accessTokenLifetime)),
        ])
    }

    /// Opens a session, `POST /merchant/client/init`: an execution and the data with which a client pays it, or, of
    /// type `tokenization`, the data with which it stores a card.
    ///
    /// The same idempotency key is answered with the same execution, even for another body: recorded. A text in `meta`
    /// that names an operation result sets the end of the payment; `meta.sandboxScenario`, which only this sandbox has,
    /// sets the whole payment.
    func initClient(_ request: HTTPRequest) throws(PayrailsSandboxError) -> HTTPResponse {
        guard request.method == .post else { throw .wrongMethod }
        try requireMerchant(request)
        guard let key = request.headers["x-idempotency-key"], !key.isEmpty else { throw .keyMissing }
        if let earlier = inits[key].flatMap(renewSession) { return .json(earlier.body, status: 201) }
        let body = try object(request)
        guard body["type"]?.string != nil else { throw .missing("type") }
        guard let holder = body["holderReference"]?.string, !holder.isEmpty else { throw .missing("holderReference") }
        guard let reference = body["merchantReference"]?.string, !reference.isEmpty else {
            throw .missing("merchantReference")
        }
        guard let amount = Amount(body["amount"]) else {
            throw .invalid("amount", "must have a value in main units and a currency")
        }
        let base = request.url.isLoopback ? request.url.origin : defaultBase
        if body["type"]?.string == "tokenization" {
            let session = makeTokenization(amount: amount, holder: holder, base: base)
            inits[key] = session.id
            return .json(session.body, status: 201)
        }
        let meta = body["meta"] ?? .null
        var scenario = Scenario.paid
        if let name = meta["sandboxScenario"]?.string {
            guard let named = Scenario(rawValue: name) else {
                throw .invalid("meta.sandboxScenario", "is not one of the sandbox's")
            }
            scenario = named
        }
        let workflow = body["workflowCode"]?.string ?? "payment-acceptance"
        guard !workflow.isEmpty, workflow.utf8.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit || $0 == 0x2D }) else {
            throw .invalid("workflowCode", "must be letters, digits and hyphens")
        }
        var execution = makeExecution(
            scenario, amount: amount, holder: holder, base: base, reference: reference, workflow: workflow)
        execution.steered = Self.texts(meta).lazy.compactMap { Reason.named[$0] }.first
        execution.type = body["type"]?.string ?? execution.type
        executions[execution.id] = execution
        inits[key] = execution.id
        return .json(session(execution.id, execution).body, status: 201)
    }

    /// Returns the key for the encryption of card data, `GET /merchant/vault/public-info`.
    func vaultInfo(_ request: HTTPRequest) throws(PayrailsSandboxError) -> HTTPResponse {
        guard request.method == .get else { throw .wrongMethod }
        try requireMerchant(request)
        return .json([
            "encryptionPublicKey": .string(CardKey.publicKey), "encryptionKeyId": "sandbox-key", "expiresIn": 3300,
        ])
    }

    /// Returns all texts in `value`, in no order.
    static func texts(_ value: JSONValue) -> [String] {
        switch value {
        case .string(let text): [text]
        case .array(let elements): elements.flatMap(texts)
        case .object(let members): members.values.flatMap(texts)
        case .null, .bool, .number: []
        }
    }
}
